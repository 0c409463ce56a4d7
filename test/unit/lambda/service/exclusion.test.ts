import fc from 'fast-check';
import { runHosts } from './hosts.ts';

const marginMs = 500;

const scenario = (maxSkewMs: number) =>
  fc.record({
    seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    skewsMs: fc.array(fc.integer({ min: 0, max: maxSkewMs }), { minLength: 2, maxLength: 5 }),
    leaseMs: fc.integer({ min: 1_000, max: 5_000 }),
  });

const growing = (numbers: readonly number[]) => numbers.every((each, at) => at === 0 || each > Number(numbers[at - 1]));

describe('hosts whose clocks differ, over a store that loses, delays and repeats', () => {
  it('never hold a lock two at a time while their clocks agree within the margin', async () => {
    await fc.assert(
      fc.asyncProperty(scenario(marginMs), async (hosts) => {
        const { overlaps, heldFences } = await runHosts({ ...hosts, clockSkewMs: marginMs });
        expect(overlaps).toEqual([]);
        expect(growing(heldFences)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('get growing fencing tokens however far their clocks are apart', async () => {
    await fc.assert(
      fc.asyncProperty(scenario(3_600_000), async (hosts) => {
        const { fences } = await runHosts({ ...hosts, clockSkewMs: marginMs, breaks: true });
        expect(fences.length).toBeGreaterThan(0);
        expect(growing(fences)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('would be caught holding two at a time by this test if their clocks differed by more than the margin', async () => {
    const { failed } = await fc.check(
      fc.asyncProperty(scenario(2_000), async (hosts) => {
        expect((await runHosts({ ...hosts, clockSkewMs: 0 })).overlaps).toEqual([]);
      }),
      { numRuns: 200, endOnFailure: true },
    );
    expect(failed).toBe(true);
  });

  it('do come to hold, and to every step of the line: two hundred scenarios see them all', async () => {
    const written = new Map<string, number>();
    let holds = 0;
    for (let seed = 1; seed <= 200; seed++) {
      const scenario = { seed, skewsMs: [0, 250, 500, 100, 400], leaseMs: 2_000, clockSkewMs: marginMs };
      const history = await runHosts({ ...scenario, breaks: true });
      for (const [operation, times] of history.written) written.set(operation, (written.get(operation) ?? 0) + times);
      holds += history.heldFences.length;
    }
    expect(holds).toBeGreaterThan(50);
    const line = ['join', 'leave', 'keepTicket', 'handOver', 'claimAsHead', 'claimPast', 'releasePast'];
    const operations = ['claim', 'renew', 'release', 'transfer', 'breakHold', ...line];
    expect([...written.keys()].sort()).toEqual(operations.sort());
  });
});
