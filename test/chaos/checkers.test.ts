import fc from 'fast-check';
import { checkers, checkHistory } from './checkers.ts';
import { mutations } from './mutations.ts';
import { type Simulation, simulatedLock } from './simulated-lock.ts';
import { fault, grant, historyOf, processStart } from './told.ts';

const simulations: fc.Arbitrary<Simulation> = fc.record({
  seed: fc.nat(),
  workers: fc.integer({ min: 2, max: 6 }),
  grants: fc.integer({ min: 8, max: 40 }),
  faultsOfHundred: fc.constantFrom(0, 30),
});

const runsOfMutation = 10;

describe('the rules', () => {
  it('find nothing in what the workers of a right lock tell, and look at something each', () => {
    fc.assert(
      fc.property(simulations, (simulation) => {
        const { findings, rules } = checkHistory(historyOf(simulatedLock(simulation)));
        expect(findings).toEqual([]);
        const silent = rules.filter(({ checked }) => checked === 0).map(({ checker }) => checker.rule);
        expect(['first come, first served', 'liveness', 'recovery', 'unfenced counter']).toEqual(
          expect.arrayContaining(silent),
        );
      }),
      { numRuns: 25 },
    );
  });

  describe.each(Object.entries(mutations))('%s', (rule, faults) => {
    it.each(faults)('finds that %s, wherever it happens', (_, mutate) => {
      fc.assert(
        fc.property(simulations, (simulation) => {
          const history = historyOf(simulatedLock(simulation));
          const mutated = mutate(history, history.events);
          // Not every history has a place for every fault.
          fc.pre(mutated !== undefined);
          const { findings = [] } =
            checkers.find((checker) => checker.rule === rule)?.check(historyOf(mutated.slice(1))) ?? {};
          expect(findings).not.toEqual([]);
        }),
        { numRuns: runsOfMutation },
      );
    });
  });

  it('have a mutation each that they find', () => {
    const rules = checkers.map(({ rule }) => rule).filter((rule) => rule !== 'unfenced counter');
    expect(Object.keys(mutations).sort()).toEqual(rules.sort());
  });

  it('count two holders as a figure where the clocks are further apart than the margin', () => {
    const together = [...grant('w1.1', [0, 10], 1), ...grant('w2.1', [20, 30], 2)];
    const clocks = (offsetMs: number) => [
      processStart('api1', 'service', -250),
      processStart('api2', 'service', offsetMs),
    ];
    const within = checkHistory(historyOf(clocks(250), together));
    expect(new Set(within.findings.map(({ rule }) => rule))).toEqual(new Set(['exclusion', 'mutex']));
    const beyond = checkHistory(historyOf(clocks(251), together));
    expect(beyond.findings).toEqual([]);
    expect(beyond.figures).toContainEqual({ name: 'exclusion: broken with clocks 501 ms apart', value: '1' });
    expect(beyond.unpromised).toHaveLength(2);
  });

  it('promise growing fencing tokens wherever the clocks are, and take a clock that is set for one', () => {
    const falling = [...grant('w1.1', [0, 10], 2), ...grant('w2.1', [20, 30], 1)];
    const set = { type: 'clock', process: 'run', of: 'api1', atMs: 5, clockOffsetMs: 9_000 } as const;
    const { findings, unpromised } = checkHistory(historyOf(processStart('api1', 'service'), set, falling));
    expect(findings.map(({ rule }) => rule)).toEqual(['fences']);
    expect(unpromised.map(({ rule }) => rule)).toContain('exclusion');
  });

  it('do not count the clocks of workers over HTTP', () => {
    const clocks = [processStart('api1', 'service'), processStart('w1', 'worker', 9_000)];
    const together = [...grant('w1.1', [0, 10], 1), ...grant('w2.1', [20, 30], 2)];
    expect(checkHistory(historyOf(clocks, together)).findings).not.toEqual([]);
    expect(checkHistory(historyOf(clocks, processStart('w2', 'embedded', 9_000), together)).findings).toEqual([]);
  });

  // The time limit of the test is a guard: a rule whose cost grew with the square would take minutes.
  it('hold 100,000 events of one lock against all of them', () => {
    const events = simulatedLock({ seed: 1, workers: 8, grants: 8_000, faultsOfHundred: 10 });
    expect(events.length).toBeGreaterThan(100_000);
    expect(checkHistory(historyOf(events, fault('delay', 'all', [0, 1]))).findings).toEqual([]);
  }, 30_000);
});
