import type { LockSystem } from '../lock-system.ts';
import type { Context } from '../workload.ts';
import { runCycles } from './cycles.ts';

/** What one cycle of a lock that nobody else wants costs at the database. */
export interface CycleCost {
  readonly requests: number;
  readonly writes: number;
  readonly reads: number;
  /** Capacity units of all of them. */
  readonly units: number;
}

const readOperations = new Set(['GetItem', 'Query', 'Scan']);
// The first cycles are left out: a lock that is there already is the ordinary one.
const before = 2;

export async function costOfCycle(system: LockSystem, { size, countedGround }: Context): Promise<CycleCost> {
  const rounds = size === 'full' ? 100 : 10;
  const ground = await countedGround();
  const client = await system.connect(ground);
  const lockIds = (count: number) => Array.from({ length: count }, () => `bench/counted ${system.name}`);
  await runCycles(client, lockIds(before));
  const from = ground.database.requests.length;
  await runCycles(client, lockIds(rounds));
  const counted = ground.database.requests.slice(from);
  await client.close();
  const reads = counted.filter(({ operation }) => readOperations.has(operation)).length;
  const units = counted.reduce((sum, request) => sum + (request.units ?? Number.NaN), 0);
  return {
    requests: counted.length / rounds,
    writes: (counted.length - reads) / rounds,
    reads: reads / rounds,
    units: units / rounds,
  };
}
