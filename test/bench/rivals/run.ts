import { seededRandom } from '../../support/seeded-random.ts';
import { watchMachine } from '../machine-facts.ts';
import type { CountedGround, StartedGround } from './ground.ts';
import type { Options } from './options.ts';
import type { Report } from './report.ts';
import { shuffled } from './shuffle.ts';
import { startCountedGround, startGround } from './start-ground.ts';
import { systems } from './systems.ts';
import type { Result } from './workload.ts';
import type { WorkloadName } from './workload-names.ts';
import { workloads } from './workloads.ts';

/** Runs workloads, in an order that the seed gives, over one database. */
export async function run(options: Options): Promise<Report> {
  const { size, repetitions, seed } = options;
  const machine = watchMachine();
  const random = seededRandom(seed);
  let ground: Promise<StartedGround> | undefined;
  let countedGround: Promise<CountedGround> | undefined;
  const context = {
    size,
    repetitions,
    random,
    ground: () => (ground ??= startGround()),
    countedGround: () => (countedGround ??= startCountedGround()),
  };
  const order = shuffled(options.workloads, random);
  const results = new Map<WorkloadName, Result>();
  const failures: Error[] = [];
  for (const name of order) {
    const startedMs = performance.now();
    process.stderr.write(`${name} …`);
    try {
      results.set(name, await workloads[name](context));
    } catch (error) {
      // What the others measured is not lost with it.
      failures.push(new Error(`the workload ${name} failed`, { cause: error }));
    }
    process.stderr.write(` ${((performance.now() - startedMs) / 1_000).toFixed(0)} s\n`);
  }
  const started = [await ground, await countedGround].filter((each) => each !== undefined);
  const complaints = started.reduce((sum, each) => sum + each.complaints(), 0);
  for (const each of started) await each.stop();
  return {
    facts: [
      ...machine.facts(),
      ...(size === 'full' ? [] : [`--${size}`]),
      `database: ${databaseOf(options)}`,
      `repetitions: ${repetitions}`,
      `seed: ${seed}`,
      `order: ${order.join(', ')}`,
      `lines that the API logged: ${complaints}`,
    ],
    systems: systems.map(({ name, sdk, settings }) => ({ name, sdk, settings })),
    // In the order in which they are listed, whatever came first.
    results: Object.fromEntries(
      options.workloads.flatMap((name) => {
        const result = results.get(name);
        return result ? [[name, result]] : [];
      }),
    ),
    failures,
  };
}

// Whoever gives the address of a database has it measured, whatever it is.
function databaseOf({ database }: Options): string {
  const given = process.env['HOLDFAST_TEST_DYNAMODB'];
  return database === 'dynalite' && given !== undefined ? given : database;
}
