import { connectEmbedded } from '../../sdk/embedded.ts';
import { LockFactory } from '../../sdk/index.ts';
import { hostMs } from '../support/host-clock.ts';
import { startCountedStack } from './counted-stack.ts';
import { type Figure, median, ms, tailOf } from './figures.ts';
import { LockTable, type RawWrites } from './lock-table.ts';
import type { Part } from './part.ts';
import { StackProcess } from './processes.ts';
import { refusedRequests } from './refused-requests.ts';

const contenders = 100;

/** The lock goes from flow to flow of one process. */
export const sameProcess: Part = async ({ quick }) => {
  const rounds = quick ? 3 : 10;

  const counted = await startCountedStack();
  const before = counted.database.requests.length;
  await contend(LockFactory.connect({ url: counted.url }));
  const requests = counted.database.requests.slice(before);
  await counted.stop();
  const writes = requests.filter(({ operation }) => operation === 'UpdateItem').length;
  const reads = requests.filter(({ operation }) => operation === 'GetItem').length;

  // Side by side: contenders, bare writes and bare requests take turns, on one stack, from one process.
  const stack = await StackProcess.start();
  const table = new LockTable(stack.database, stack.table);
  const overHttp = LockFactory.connect({ url: stack.url });
  const embedded = connectEmbedded({
    endpoint: stack.database,
    table: stack.table,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const handOverMs = { overHttp: [] as number[], embedded: [] as number[] };
  const raw: RawWrites = { claim: [], transfer: [], release: [] };
  const requestMs: number[] = [];
  for (let round = -2; round < rounds; round++) {
    const [passedOverHttp, passedEmbedded, writesOf, requestsOf] = [
      await contend(overHttp),
      await contend(embedded),
      await table.rawWrites(contenders / 2),
      await refusedRequests(stack.url, contenders),
    ];
    // The first two rounds warm everything up.
    if (round < 0) continue;
    handOverMs.overHttp.push(...passedOverHttp);
    handOverMs.embedded.push(...passedEmbedded);
    raw.transfer.push(...writesOf.transfer);
    requestMs.push(...requestsOf);
  }
  table.close();
  await embedded.dispose();
  await stack.kill();

  const [r, request] = [median(raw.transfer), median(requestMs)];
  // The first claims and the last releases: two writes that are no hand-over.
  const handOvers = contenders - 1;
  return [
    {
      figure: `same process, ${contenders} contenders: writes a hand-over`,
      target: '1',
      measured: `${(writes - 2) / handOvers} (${writes} for ${contenders} holds, ${reads} reads)`,
      met: writes - 2 === handOvers && reads === 0,
    },
    handOver('over HTTP', handOverMs.overHttp, r + request + 0.5, `r ${ms(r)} + raw request ${ms(request)} + 0.5 ms`),
    handOver('embedded', handOverMs.embedded, 1.5 * r, `1.5 r, r ${ms(r)}`),
  ];
};

function handOver(how: string, handOverMs: readonly number[], targetMs: number, why: string): Figure {
  const measured = median(handOverMs);
  const tail = tailOf(handOverMs, 95);
  return {
    figure: `same process: hand-over ${how}, median`,
    target: `≤ ${ms(targetMs)} (${why})`,
    measured: `${ms(measured)} (${tail.name} ${ms(tail.value)}, ${handOverMs.length} hand-overs)`,
    met: measured <= targetMs,
  };
}

// From a flow's calling unlock() to the next one's having the lock, milliseconds.
async function contend(locks: LockFactory): Promise<number[]> {
  const handOverMs: number[] = [];
  let unlockedAtMs: number | undefined;
  const flow = async () => {
    const lock = locks.createLock('bench/same process');
    await lock.lock();
    if (unlockedAtMs !== undefined) handOverMs.push(hostMs() - unlockedAtMs);
    unlockedAtMs = hostMs();
    await lock.unlock();
  };
  await Promise.all(Array.from({ length: contenders }, flow));
  return handOverMs;
}
