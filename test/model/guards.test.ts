import { Exploration } from './exploration.ts';
import { mutants } from './mutants.ts';

const states = 30_000;

describe.each(mutants)('$missing', ({ scenario, violation }) => {
  it('is missed when it is not there', async () => {
    const report = await new Exploration(scenario).run({ states, calmEach: 2 });

    expect(report.violation?.message).toContain(violation);
  });

  it('is all that was wrong', async () => {
    const { store: _, believedTiming: __, weakReads: ___, ...asItIs } = scenario;

    const report = await new Exploration(asItIs).run({ states: 2_000 });

    expect(report.violation).toBeUndefined();
  });
});
