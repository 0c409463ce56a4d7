import { hostMs } from '../../../support/host-clock.ts';
import { type Figure, median, ms } from '../../figures.ts';
import type { LockClient, LockSystem } from '../lock-system.ts';
import { shuffled } from '../shuffle.ts';
import { ratioOf, shownSpread, spreadOf, times } from '../spread.ts';
import { floorV3 } from '../systems/floor.ts';
import { holdfastEmbedded, holdfastOverHttp } from '../systems/holdfast.ts';
import type { Size, Workload } from '../workload.ts';

const plans: Readonly<Record<Size, { readonly flows: number; readonly rounds: number; readonly warmUp: number }>> = {
  full: { flows: 64, rounds: 10, warmUp: 3 },
  quick: { flows: 64, rounds: 4, warmUp: 2 },
  smoke: { flows: 8, rounds: 1, warmUp: 1 },
};
const atMost = 1.5;
const lockId = 'bench/in process';

/** A lock goes from flow to flow of one process, over one client, beside bare writes of the same process. */
export const inProcess: Workload = async ({ size, repetitions, random, ground }) => {
  const { flows, rounds, warmUp } = plans[size];
  const place = await ground();
  const floor = await floorV3.connect(place);
  const ours = [holdfastEmbedded, holdfastOverHttp];
  const clients = new Map<LockSystem, LockClient>();
  for (const system of ours) clients.set(system, await system.connect(place));
  const handOverMs = new Map<LockSystem, number[]>(ours.map((system) => [system, []]));
  const writeMs: number[] = [];
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const took = new Map<LockSystem | 'floor', number[]>([...ours, 'floor' as const].map((each) => [each, []]));
    // They take turns, so that what disturbs one disturbs them all.
    for (let round = -warmUp; round < rounds; round++) {
      for (const [each, tookMs] of shuffled([...took], random)) {
        const client = each === 'floor' ? undefined : clients.get(each);
        const roundMs = await (client ? passOn(client, flows) : bareWrites(floor, flows));
        if (round >= 0) tookMs.push(...roundMs);
      }
    }
    for (const system of ours) handOverMs.get(system)?.push(median(took.get(system) ?? []));
    writeMs.push(median(took.get('floor') ?? []));
  }
  for (const client of [...clients.values(), floor]) await client.close();
  return {
    figures: [
      { figure: 'one bare write, in turns with flows of one process', measured: shownSpread(spreadOf(writeMs), ms) },
      ...ours.map((system) => figureOf(system, flows, handOverMs.get(system) ?? [], writeMs)),
    ],
    series: {
      ...Object.fromEntries(ours.map((system) => [system.name, handOverMs.get(system) ?? []])),
      [floorV3.name]: writeMs,
    },
  };
};

// From one flow's calling release() to the next one's having the lock, milliseconds.
async function passOn(client: LockClient, flows: number): Promise<number[]> {
  const handOverMs: number[] = [];
  let releasedMs: number | undefined;
  const flow = async () => {
    const held = await client.lock(lockId);
    if (releasedMs !== undefined) handOverMs.push(hostMs() - releasedMs);
    releasedMs = hostMs();
    await held.release();
  };
  await Promise.all(Array.from({ length: flows }, flow));
  return handOverMs;
}

async function bareWrites(floor: LockClient, flows: number): Promise<number[]> {
  const ids = Array.from({ length: flows / 2 }, () => 'bench/in process, bare writes');
  floor.prepare?.(ids);
  const writeMs: number[] = [];
  for (const id of ids) {
    const claimMs = hostMs();
    const held = await floor.lock(id);
    const releaseMs = hostMs();
    await held.release();
    writeMs.push(releaseMs - claimMs, hostMs() - releaseMs);
  }
  return writeMs;
}

function figureOf(
  system: LockSystem,
  flows: number,
  handOverMs: readonly number[],
  writeMs: readonly number[],
): Figure {
  const ratio = ratioOf(handOverMs, writeMs);
  const target = system === holdfastEmbedded ? { target: `≤ ${atMost} ×`, met: ratio.median <= atMost } : {};
  return {
    figure: `${flows} flows of one process: hand-over by one bare write, ${system.name}`,
    ...target,
    measured: `${shownSpread(ratio, times)}; ${shownSpread(spreadOf(handOverMs), ms)}`,
  };
}
