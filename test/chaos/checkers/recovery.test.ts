import { fail, fault, grant, historyOf, invoke, mark, processStart, release, type Told, unknown } from '../told.ts';
import { recovery } from './recovery.ts';

const check = (...parts: Told[]) => recovery.check(historyOf(...parts));
const messages = (...parts: Told[]) => check(...parts).findings.map((each) => each.message);

describe('recovery', () => {
  // Everybody has recovered at 6,000.
  const healed = [processStart('api1', 'service'), processStart('w1'), processStart('w2'), mark('healed', 5_000)];
  const lock = invoke('w1.1', 'lock', 6_000, { leaseMs: 2_000 });
  const stall = (process: string, [fromMs, atMs]: readonly [number, number]) =>
    ({ type: 'stall', process, fromMs, atMs }) as const;

  it('says nothing about a run that was never healed, or that ended before anybody had recovered', () => {
    expect(check(lock, unknown('w1.1', 6_500))).toEqual({ checked: 0, findings: [] });
    expect(check(healed, grant('w1.1', [5_999, 6_500], 1))).toEqual({ checked: 0, findings: [] });
  });

  it('finds that an operation fails when nothing is broken, and accepts refusals by the rules', () => {
    expect(messages(healed, lock, unknown('w1.1', 6_500))).toEqual([
      'lock w1.1 ended as "unknown" (lock-service), and nothing was broken',
    ]);
    expect(messages(healed, lock, fail('w1.1', 6_500, { code: 'lock-service' }))).toHaveLength(1);
    expect(messages(healed, lock, fail('w1.1', 6_500, { code: 'interrupted' }))).toEqual([]);
    expect(check(healed, grant('w1.1', [6_000, 6_500], 1), release('w1.1', [7_000, 7_010])).checked).toBe(2);
  });

  it('gives those that were hit some time to recover', () => {
    const before = invoke('w1.1', 'lock', 5_999, { leaseMs: 2_000 });
    expect(messages(healed, before, unknown('w1.1', 6_500))).toEqual([]);
    expect(messages(healed, fault('freeze', 'w1', [100, 5_000]), lock, unknown('w1.1', 6_500))).toEqual([]);
  });

  it('takes a stall for a fault: of the process, or of a service', () => {
    expect(messages(healed, lock, stall('w1', [6_100, 6_400]), unknown('w1.1', 6_500))).toEqual([]);
    expect(messages(healed, lock, stall('api1', [6_100, 6_400]), unknown('w1.1', 6_500))).toEqual([]);
    expect(messages(healed, lock, stall('w2', [6_100, 6_400]), unknown('w1.1', 6_500))).toHaveLength(1);
    expect(messages(healed, lock, stall('w1', [6_501, 6_900]), unknown('w1.1', 6_500))).toHaveLength(1);
    const later = invoke('w1.1', 'lock', 8_000, { leaseMs: 2_000 });
    expect(messages(healed, stall('w1', [6_100, 7_000]), later, unknown('w1.1', 8_500))).toEqual([]);
    expect(messages(healed, stall('w1', [6_100, 6_999]), later, unknown('w1.1', 8_500))).toHaveLength(1);
  });

  it('accepts a renewal by hand that had no answer in its short time, and finds one that failed before', () => {
    const hold = [healed, grant('w1.1', [6_000, 6_010], 1, { isRenewedByHand: true })];
    const renewal = invoke('w1.2', 'renew', 6_150, { hold: 'w1.1' });
    expect(messages(...hold, renewal, unknown('w1.2', 6_484))).toEqual([]);
    expect(messages(...hold, renewal, unknown('w1.2', 6_200))).toHaveLength(1);
  });
});
