import {
  fault,
  gone,
  grant,
  historyOf,
  invoke,
  look,
  lost,
  mark,
  ok,
  release,
  renewed,
  type Told,
  unknown,
} from '../told.ts';
import { lostSignal } from './lost-signal.ts';

const check = (...parts: Told[]) => lostSignal.check(historyOf(...parts));
const messages = (...parts: Told[]) => check(...parts).findings.map((each) => each.message);

describe('lost signal', () => {
  // Its deadline is 2,011 at the latest, and a timer may be 100 late.
  const hold = grant('w1.1', [0, 10], 1);
  const later = mark('end', 9_000);

  it('accepts a signal by the deadline and the tolerance, and finds a later one', () => {
    expect(messages(hold, lost('w1.1', 2_111), later)).toEqual([]);
    expect(messages(hold, lost('w1.1', 2_112), later)).toEqual([
      'the lost signal of w1.1 came 101.0 ms after its deadline',
    ]);
  });

  it('finds one that never came, unless the history ends before', () => {
    expect(messages(hold, later)).toEqual(['the lost signal of w1.1 never came']);
    expect(messages(hold, mark('healed', 2_100))).toEqual([]);
  });

  it('counts from the last renewal, by hand or not', () => {
    expect(messages(hold, renewed('w1.1', 700), lost('w1.1', 2_700), later)).toEqual([]);
    const byHand = [
      invoke('w1.2', 'renew', 690, { hold: 'w1.1' }),
      ok('w1.2', 'renew', 700, { remainingMs: 2_000, lookedAtMs: 700 }),
    ];
    expect(messages(hold, byHand, lost('w1.1', 2_700), later)).toEqual([]);
  });

  it('expects none of who gives the lock back by the deadline, and one of who does not', () => {
    expect(messages(hold, release('w1.1', [2_011, 2_500]), later)).toEqual([]);
    expect(messages(hold, release('w1.1', [2_300, 2_500]), later)).toHaveLength(1);
  });

  it('expects none of a process that is gone', () => {
    expect(messages(hold, gone('w1', 1_000), later)).toEqual([]);
    expect(messages(hold, gone('w2', 1_000), later)).toHaveLength(1);
  });

  it('expects it of a process that was frozen as soon as it runs again', () => {
    const frozen = fault('freeze', 'w1', [500, 4_000]);
    expect(messages(hold, frozen, lost('w1.1', 4_100), later)).toEqual([]);
    expect(messages(hold, frozen, lost('w1.1', 4_101), later)).toHaveLength(1);
    expect(messages(hold, fault('freeze', 'w2', [500, 4_000]), lost('w1.1', 4_100), later)).toHaveLength(1);
  });

  it('bears a machine that did not let the process run', () => {
    const stall = { type: 'stall', process: 'w1', fromMs: 2_050, atMs: 3_000 } as const;
    expect(messages(hold, stall, lost('w1.1', 3_050), later)).toEqual([]);
  });

  it('expects it late of a lease that is renewed by hand, which has no timer', () => {
    expect(messages(grant('w1.1', [0, 10], 1, { isRenewedByHand: true }), lost('w1.1', 5_000), later)).toEqual([]);
  });

  it('accepts looks that tell the truth, and finds one that calls the hold held after its deadline', () => {
    expect(messages(hold, look('w1.1', 2_011, true), look('w1.1', 2_050, false), lost('w1.1', 2_050))).toEqual([]);
    expect(messages(hold, look('w1.1', 2_012, true), lost('w1.1', 2_050))).toEqual([
      'a look called w1.1 held 1.0 ms after its deadline',
    ]);
  });

  it('finds the untrue first look of a process that was frozen', () => {
    const frozen = fault('freeze', 'w1', [500, 4_000]);
    expect(messages(hold, frozen, look('w1.1', 4_001, true, 5), lost('w1.1', 4_050))).toHaveLength(1);
    expect(messages(hold, frozen, look('w1.1', 4_001, false), lost('w1.1', 4_001))).toEqual([]);
  });

  it('does not believe a renewal that came after the look', () => {
    expect(
      messages(hold, look('w1.1', 2_300, true), renewed('w1.1', 2_400), release('w1.1', [2_500, 2_600])),
    ).toHaveLength(1);
  });

  it('finds a look that calls the hold held after its lost signal', () => {
    expect(messages(hold, lost('w1.1', 500, 'superseded'), look('w1.1', 501, true))).toHaveLength(1);
    expect(messages(hold, lost('w1.1', 500, 'superseded'), look('w1.1', 500, true))).toEqual([]);
  });

  it('finds a look that calls the hold held after it was given back', () => {
    const given = release('w1.1', [100, 110]);
    expect(messages(hold, given, look('w1.1', 500, true, 1_500))).toEqual([
      'a look called w1.1 held after its release',
    ]);
    expect(messages(hold, given, look('w1.1', 110, true, 1_500))).toEqual([]);
    expect(messages(hold, given, look('w1.1', 500, false))).toEqual([]);
    const refused = release('w1.1', [100, 110], { code: 'forbidden' });
    expect(messages(hold, refused, look('w1.1', 500, true, 1_500))).toEqual([]);
  });

  it('finds a hold that expires long before its deadline, unless its clock was set', () => {
    expect(messages(hold, lost('w1.1', 1_909))).toEqual(['w1.1 was lost as "expired" 101.0 ms before its deadline']);
    expect(messages(hold, lost('w1.1', 1_910))).toEqual([]);
    expect(messages(hold, fault('clock', 'w1', [50, 51]), lost('w1.1', 100))).toEqual([]);
    expect(messages(hold, lost('w1.1', 100, 'max-hold'))).toEqual([]);
  });

  it('finds that an operation is told of a break that nobody made', () => {
    const refused = { code: 'lease-lost', reason: 'broken' } as const;
    const broken = [invoke('w3.1', 'break', 400, { fencingToken: 1 }), unknown('w3.1', 410)];
    expect(messages(hold, release('w1.1', [500, 510], refused))).toEqual([
      'w1.1 was lost as "broken", and nobody broke it',
    ]);
    expect(messages(hold, release('w1.1', [500, 510], refused), lost('w1.1', 509, 'broken'))).toHaveLength(1);
    expect(messages(hold, broken, release('w1.1', [500, 510], refused))).toEqual([]);
  });

  it('finds that a hold is lost as broken that nobody broke', () => {
    const broken = [invoke('w3.1', 'break', 400, { fencingToken: 1 }), ok('w3.1', 'break', 410, {})];
    expect(messages(hold, broken, lost('w1.1', 700, 'broken'))).toEqual([]);
    expect(messages(hold, lost('w1.1', 700, 'broken'))).toHaveLength(1);
  });

  it('measures the latest signal of a process that ran', () => {
    const frozen = [
      ...grant('w2.1', [0, 10], 1, { lockId: 'b' }),
      ...fault('freeze', 'w2', [500, 4_000]),
      lost('w2.1', 4_001),
    ];
    expect(check(hold, lost('w1.1', 2_031), frozen, later).figures?.[0]?.value).toBe('20.0 ms (2 holds lost)');
  });
});
