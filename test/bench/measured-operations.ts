import { type Lease, LockFactory } from '../../sdk/index.ts';
import { until } from '../support/until.ts';
import { type Consumption, operations } from './cost-model.ts';
import { type CountedStack, startCountedStack } from './counted-stack.ts';
import type { CountedRequest } from './counting-proxy.ts';
import type { Figure } from './figures.ts';
import { besideModel, isFallbackRead, unitsOf } from './model-check.ts';
import type { Part } from './part.ts';

const lockId = 'bench/measured operations';
const withWait = 'lock and unlock with a wait and a hand-over, the wait itself apart';
const turns = 'the same, two that take turns and nobody else';

/** What single operations consume, counted before the API and before the database, beside the cost model. */
export const measuredOperations: Part = async ({ quick }) => {
  const times = quick ? 10 : 50;
  const stack = await startCountedStack();
  const [mine, other] = [LockFactory.connect({ url: stack.url }), LockFactory.connect({ url: stack.url })];
  const count = counting(stack, times);
  const how = `${times} times`;

  const cycle = await count(async () => mine.withLock(lockId, () => undefined));
  const held = await mine.createLock(lockId, { leaseMs: 600_000 }).acquire();
  const refused = await count(async () => other.createLock(lockId).tryLock());
  const renewal = await count(async () => held.renew());
  const look = await count(async () => other.inspect(lockId), { looksStrongly: true });
  await held.release();

  const contended = await handOvers(stack, 3, times);
  const takingTurns = await handOvers(stack, 2, times);
  await stack.stop();
  return [
    besideModel(
      'lock and unlock, nobody else wants it',
      operations['lock and unlock, nobody else wants it'],
      cycle,
      how,
    ),
    besideModel('tryLock() of a lock that is held', operations['tryLock() of a lock that is held'], refused, how),
    besideModel('a renewal', operations['a renewal'], renewal, how),
    besideModel('a look at a lock', operations['a look at a lock'], look, how),
    withoutLooks(withWait, contended, `${times} times, another waiting behind`),
    withoutLooks(turns, takingTurns, `${times} times`),
  ];
};

type Counting = (operate: () => Promise<unknown>, options?: { looksStrongly?: boolean }) => Promise<Consumption>;

function counting({ api, database }: CountedStack, times: number): Counting {
  return async (operate, { looksStrongly = false } = {}) => {
    const [fromApi, fromDatabase] = [api.requests.length, database.requests.length];
    for (let round = 0; round < times; round++) await operate();
    const isAnswered = ({ endedMs }: CountedRequest) => endedMs !== undefined;
    const asked = api.requests.slice(fromApi);
    // Whoever waits is not answered yet.
    await until('every answer is counted', () => database.requests.every(isAnswered));
    const needed = database.requests.slice(fromDatabase).filter((each) => looksStrongly || !isFallbackRead(each));
    const { writeUnits, readUnits } = unitsOf(needed);
    return { requests: asked.length / times, writeUnits: writeUnits / times, readUnits: readUnits / times };
  };
}

// Its reads are those of the wait, too, which has a price of its own.
function withoutLooks(name: string, { requests, writeUnits, readUnits }: Consumption, how: string): Figure {
  const reads = `${readUnits.toFixed(1)} read units with those of the wait`;
  return besideModel(name, operations[name], { requests, writeUnits }, `${how}; ${reads}`);
}

// So many factories want one lock, all the time: each round one hands over to the next and stands in line again.
async function handOvers(stack: CountedStack, contenders: number, times: number): Promise<Consumption> {
  const lockId = `bench/measured hand-overs ${contenders}`;
  const line = Array.from({ length: contenders }, () => LockFactory.connect({ url: stack.url, leaseMs: 600_000 }));
  const leases: Promise<Lease>[] = [];
  const comesToStand = async (locks: LockFactory) => {
    const lease = locks.createLock(lockId).acquire();
    // Those who stand in line at the end do not get it.
    lease.catch(() => undefined);
    leases.push(lease);
    await stack.table.untilInLine(lockId, leases.length);
  };
  const [first, ...others] = line as [LockFactory, ...LockFactory[]];
  let holder = { locks: first, lease: await first.createLock(lockId).acquire() };
  for (const each of others) await comesToStand(each);
  const consumed = await counting(
    stack,
    times,
  )(async () => {
    await holder.lease.release();
    const lease = (await leases.shift()) as Lease;
    await comesToStand(holder.locks);
    line.push(line.shift() as LockFactory);
    holder = { locks: line[0] as LockFactory, lease };
  });
  await Promise.all(line.map((locks) => locks.dispose({ timeoutMs: 0 })));
  return consumed;
}
