import { Exploration } from './exploration.ts';
import { followed, scenarios } from './scenarios.ts';

// How many states of each scenario are visited: each has more.
const states = 2_000;

describe.each([...scenarios, ...followed])('$clients clients, $name', (scenario) => {
  it('keeps the promises in every state', async () => {
    const report = await new Exploration(scenario).run({ states, calmEach: 10, auditEach: 20 });

    expect(report.violation).toBeUndefined();
    expect(report.states).toBeGreaterThanOrEqual(states);
    expect(report.transitions).toBeGreaterThan(report.states);
    expect(report.calmed).toBeGreaterThan(states / 20);
    expect(report.audited).toBeGreaterThan(0);
  });
});
