import type { LockItem } from '../../lambda/service/lock-item.ts';
import { asCurrent, currentFence, olderBy } from './item-frame.ts';
import type { Answer, Process, Processes } from './process.ts';
import { checkWrite, Violation } from './rules-to-keep.ts';
import type { Scenario } from './scenario.ts';
import { memoryStore, type StoreCall } from './store-call.ts';
import { T0 } from './ticks.ts';
import type { World } from './world.ts';

/** The world after a write, counted from the item's new revision and fence. */
export class Writes {
  readonly #scenario: Scenario;
  readonly #processes: Processes;
  // How many earlier versions an old read may come from.
  readonly #versions: number;

  constructor(scenario: Scenario, processes: Processes) {
    this.#scenario = scenario;
    this.#processes = processes;
    this.#versions = scenario.faults.includes('stale') ? 2 : 0;
  }

  /** @throws Violation when the protocol rules out what it does */
  apply(world: World, call: StoreCall): { readonly world: World; readonly answer: Answer } {
    const { store = memoryStore, deletion } = this.#scenario;
    const { written, item } = store(call, world.item);
    if (!written || item === undefined) return { world, answer: { kind: 'result', written, item: world.item } };
    checkWrite(this.#scenario, world, call, item);
    const fenceLagMs = deletion ? lagAfter(world, item) : 0;
    const rebased = asCurrent(item);
    const fences = world.item === undefined ? 1 : item.fence - world.item.fence;
    const older = <T extends { rev?: number; fence?: number }>(pinned: T) => olderBy(pinned, 1, fences);
    const repinned = (process: Process) => this.#repinned(process, fences);
    const after: World = {
      ...world,
      item: rebased,
      past:
        this.#versions > 0
          ? [world.item, ...world.past].slice(0, this.#versions).map((each) => each && older(each))
          : [],
      clients: world.clients.map((client) => {
        const { process, fence } = client;
        if (process === undefined && fence === 0) return client;
        const pinned = fences > 0 && fence > 0 ? { fence: Math.max(currentFence - 1, fence - fences) } : {};
        const broken = call.operation === 'breakHold' && client.token === call.argument.victim;
        return { ...client, ...pinned, process: process && repinned(process), broken: client.broken || broken };
      }),
      strays: world.strays.map(repinned),
      late: world.late.map(({ call: each, age }) => ({ call: { ...each, argument: older(each.argument) }, age })),
      fenceLagMs,
    };
    return { world: after, answer: { kind: 'result', written, item: rebased } };
  }

  #repinned(process: Process, fences: number): Process {
    if (process.pending.kind !== 'call' || process.pending.call.argument.rev === undefined) return process;
    const { call } = process.pending;
    return this.#processes.withCall(process, { ...call, argument: olderBy(call.argument, 1, fences) });
  }
}

function lagAfter({ item, fenceLagMs }: World, after: LockItem): number {
  if (item !== undefined) return fenceLagMs - (after.fence - item.fence);
  const lagMs = T0 - after.fence;
  // The last fence of the item before stands where it stood, further behind by now.
  if (fenceLagMs !== 0 && lagMs >= fenceLagMs) {
    throw new Violation('the first grant after a deletion did not raise the fence');
  }
  return lagMs;
}
