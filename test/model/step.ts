import type { LockItem } from '../../lambda/service/lock-item.ts';
import type { Action, Whose } from './actions.ts';
import { asCurrent, currentFence, olderBy } from './item-frame.ts';
import { afterTick } from './passing-time.ts';
import type { Answer, Process, Processes, Request } from './process.ts';
import { checkNothingLeft, checkPlaceLost, checkState, checkWrite, Violation } from './rules-to-keep.ts';
import type { Mode, Scenario } from './scenario.ts';
import { memoryStore, type StoreCall } from './store-call.ts';
import { T0, tickMs } from './ticks.ts';
import { type Client, freshToken, idle, type World } from './world.ts';
import { callOf, clientAt, fault, late, processOf, withClient, withoutStrays, withStray } from './world-changes.ts';

type Outcome = Extract<Process['pending'], { kind: 'ended' }>['outcome'];

/** The world after an action: what the protocol's clients do is here, what the service does is the service's own. */
export class Steps {
  readonly #scenario: Scenario;
  readonly #processes: Processes;
  // How many earlier versions an old read may come from.
  readonly #versions: number;

  constructor(scenario: Scenario, processes: Processes) {
    this.#scenario = scenario;
    this.#processes = processes;
    this.#versions = scenario.faults.includes('stale') ? 2 : 0;
  }

  /**
   * @throws Violation when the protocol rules out what happens
   * @throws Unknown when the service has to run first
   */
  take(world: World, action: Action): World {
    const next = this.#take(world, action);
    const { faultsLeft } = next;
    const kept = next.past.length > 0 && faultsLeft === 0 ? { ...next, past: [] } : next;
    checkState(this.#scenario, kept);
    return kept;
  }

  #take(world: World, action: Action): World {
    switch (action.kind) {
      case 'ask':
        return this.#ask(world, action.client, action.mode, action.aheadMs);
      case 'go on':
        return this.#goOn(world, action.client, action.aheadMs);
      case 'renew':
        return this.#send(world, action.client, 'renewing', { kind: 'renew' }, action.aheadMs);
      case 'release':
        return this.#release(world, action.client, action.aheadMs);
      case 'store':
        return this.#store(world, action);
      case 'wake':
        return this.#answer(world, action.whose, { kind: 'awake' });
      case 'late write':
        return this.#lateWrite(world, action.index);
      case 'crash':
        return this.#crash(fault(world), action.client);
      case 'time-out':
        return this.#timeOut(fault(world), action.client);
      case 'abort':
        return this.#abort(fault(world), action.client, action.aheadMs);
      case 'break': {
        const process = this.#processes.start({ kind: 'break', token: '' }, action.aheadMs);
        return withStray(fault(world), process);
      }
      case 'delete':
        return { ...world, item: undefined, past: [] };
      case 'tick':
        return afterTick(this.#scenario, this.#processes, world);
    }
  }

  #ask(world: World, index: number, mode: Mode, aheadMs: number): World {
    const client = clientAt(world, index);
    const { acquisitionsLeft } = client;
    const token = freshToken(world);
    const begun = { ...idle, acquisitionsLeft, token, mode, renewalsLeft: this.#scenario.renewals };
    // The first attempt of those who wait is a claim like a try's; only `plain` joins with it.
    return this.#acquire(withClient(world, index, begun), index, aheadMs);
  }

  #acquire(world: World, index: number, aheadMs: number): World {
    const { mode, waits, inLine } = clientAt(world, index);
    const { waitMs } = this.#scenario;
    switch (mode) {
      case 'try':
        return this.#send(world, index, 'asking', { kind: 'try' }, aheadMs);
      case 'embedded': {
        const request = { kind: 'acquire', waitMs: Number.POSITIVE_INFINITY, confirm: true, resume: inLine } as const;
        return this.#send(world, index, 'asking', request, aheadMs);
      }
      case 'http': {
        const request = { kind: 'acquire', waitMs, confirm: true, keepPlace: true, resume: inLine } as const;
        return this.#send(world, index, 'asking', waits ? request : { kind: 'try' }, aheadMs);
      }
      case 'plain':
        return this.#send(world, index, 'asking', { kind: 'acquire', waitMs }, aheadMs);
    }
  }

  #goOn(world: World, index: number, aheadMs: number): World {
    switch (clientAt(world, index).phase) {
      case 'granted':
        return this.#send(world, index, 'confirming', { kind: 'renew' }, aheadMs);
      case 'unreleased':
        return this.#release(world, index, aheadMs);
      default:
        return this.#acquire(world, index, aheadMs);
    }
  }

  #send(world: World, index: number, phase: Client['phase'], request: Omit<Request, 'token'>, aheadMs: number): World {
    const client = clientAt(world, index);
    const process = this.#processes.start({ ...request, token: client.token }, aheadMs);
    // The time for confirming runs on over its repeats.
    const dueAt = phase === 'confirming' ? client.dueAt : 0;
    return this.#settled(withClient(world, index, { ...client, phase, process, sentAt: T0, dueAt }), { client: index });
  }

  #release(world: World, index: number, aheadMs: number): World {
    const client = clientAt(world, index);
    const lastRelease = !world.strays.some(({ request }) => request.token === client.token);
    const given = withClient(world, index, { ...client, deadline: 0, fence: 0, lastRelease });
    return this.#send(given, index, 'releasing', { kind: 'release' }, aheadMs);
  }

  #store(world: World, { whose, delivery, version }: Extract<Action, { kind: 'store' }>): World {
    const process = processOf(world, whose);
    const call = callOf(process);
    const paid = delivery === 'answered' ? world : fault(world);
    if (call.operation === 'read') {
      const seen = delivery === 'stale' ? world.past[version] : world.item;
      const { item } = (this.#scenario.store ?? memoryStore)(call, seen);
      const after = delivery === 'stale' && 'client' in whose ? late(paid, whose.client) : paid;
      return this.#answer(after, whose, { kind: 'read', item });
    }
    if (delivery === 'held up') {
      return this.#answer({ ...paid, late: [...paid.late, { call, age: 0 }] }, whose, { kind: 'error' });
    }
    const { world: written, answer } = this.#write(paid, call);
    switch (delivery) {
      case 'reply lost':
        return this.#answer(written, whose, { kind: 'error' });
      case 'sent again':
        return written;
      case 'duplicate': {
        // As it stands now: its pins are older by this write.
        const again = callOf(processOf(written, whose));
        return this.#answer({ ...written, late: [...written.late, { call: again, age: 0 }] }, whose, answer);
      }
      default:
        return this.#answer(written, whose, answer);
    }
  }

  #lateWrite(world: World, index: number): World {
    const call = world.late[index]?.call;
    if (call === undefined) throw new Error('no such late write');
    return this.#write({ ...world, late: world.late.filter((_, each) => each !== index) }, call).world;
  }

  #write(world: World, call: StoreCall): { world: World; answer: Answer } {
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

  #answer(world: World, whose: Whose, answer: Answer): World {
    const process = this.#processes.answer(processOf(world, whose), answer);
    if ('stray' in whose) {
      const strays = world.strays.map((each, index) => (index === whose.stray ? process : each));
      return this.#settled({ ...world, strays }, whose);
    }
    return this.#settled(withClient(world, whose.client, { ...clientAt(world, whose.client), process }), whose);
  }

  #settled(world: World, whose: Whose): World {
    const { pending, aborted } = processOf(world, whose);
    if (pending.kind !== 'ended') return world;
    if ('stray' in whose) {
      return withoutStrays(world, (_, index) => index === whose.stray);
    }
    const index = whose.client;
    const client = { ...clientAt(world, index), process: undefined };
    if (aborted && pending.outcome.kind !== 'gave-up')
      return withClient(world, index, { ...client, phase: 'unreleased' });
    return this.#told(withClient(world, index, client), index, client, pending.outcome);
  }

  #told(world: World, index: number, client: Client, outcome: Outcome): World {
    switch (client.phase) {
      case 'asking':
        return this.#toldOfAsking(world, index, client, outcome);
      case 'confirming':
        if (outcome.kind === 'granted') return this.#granted(world, index, client, outcome.fencingToken);
        if (outcome.kind !== 'unknown' || client.dueAt <= T0) return this.#anew(world, index);
        return withClient(world, index, { ...client, phase: 'granted' });
      case 'renewing':
        if (outcome.kind === 'granted')
          return this.#granted(
            world,
            index,
            { ...client, renewalsLeft: client.renewalsLeft - 1 },
            outcome.fencingToken,
          );
        if (outcome.kind !== 'unknown' || client.deadline === 0) return this.#over(world, index);
        return withClient(world, index, { ...client, phase: 'holding' });
      case 'releasing': {
        if (outcome.kind === 'unknown') return withClient(world, index, { ...client, phase: 'unreleased' });
        if (client.lastRelease) {
          checkNothingLeft(world, client);
          return this.#over(world, index);
        }
        const busy = world.strays.some(({ request }) => request.token === client.token);
        return withClient(world, index, { ...client, phase: busy ? 'settling' : 'unreleased' });
      }
      default:
        throw new Error(`answered while ${client.phase}`);
    }
  }

  #toldOfAsking(world: World, index: number, client: Client, outcome: Outcome): World {
    const { mode, waits, sentAt } = client;
    switch (outcome.kind) {
      case 'granted':
        if (!outcome.provisional) return this.#granted(world, index, { ...client, sentAt }, outcome.fencingToken);
        return withClient(world, index, {
          ...client,
          phase: 'granted',
          dueAt: T0 + this.#scenario.timing.claimWindowMs,
        });
      case 'held': {
        if (mode === 'try' || mode === 'plain') return this.#over(world, index);
        // Tried first, or found no place in line.
        const dueAt = waits ? T0 + tickMs : T0;
        return withClient(world, index, { ...client, phase: 'away', waits: true, dueAt });
      }
      case 'still-waiting': {
        const { position, retryAfterMs } = outcome;
        const behind = position > this.#scenario.timing.heldOpen;
        const dueAt = behind ? T0 + Math.ceil(retryAfterMs / tickMs) * tickMs : T0;
        return withClient(world, index, { ...client, phase: 'away', inLine: true, dueAt });
      }
      case 'place-lost':
        checkPlaceLost(world, client);
        return this.#anew(world, index);
      case 'gave-up':
        return this.#over(world, index);
      case 'unknown':
        return withClient(world, index, { ...client, phase: 'unanswered', waits: false });
      default:
        return this.#anew(world, index);
    }
  }

  // An answer that arrives only after the lease it grants is over grants nothing.
  #granted(world: World, index: number, client: Client, fence: number): World {
    const deadline = Math.max(client.deadline, client.sentAt + this.#scenario.leaseMs);
    if (deadline <= T0) return client.phase === 'renewing' ? this.#over(world, index) : this.#anew(world, index);
    return withClient(world, index, { ...client, phase: 'holding', deadline, fence, dueAt: 0, late: 0 });
  }

  // With a fresh token.
  #anew(world: World, index: number): World {
    const { acquisitionsLeft, token } = clientAt(world, index);
    const after = withClient(world, index, { ...idle, acquisitionsLeft });
    if (!this.#scenario.cleansUp) return after;
    const process = this.#processes.start({ kind: 'release', token }, this.#scenario.clocksMs[index] ?? 0);
    return withStray(after, process);
  }

  #over(world: World, index: number): World {
    const acquisitionsLeft = clientAt(world, index).acquisitionsLeft - 1;
    return withClient(world, index, { ...idle, acquisitionsLeft, phase: acquisitionsLeft > 0 ? 'idle' : 'done' });
  }

  #crash(world: World, index: number): World {
    const { process, mode, token, deadline, fence, broken } = clientAt(world, index);
    // A dead holder is still one that believes, until its lease ends.
    const dead = deadline > 0 ? { token, deadline, fence, broken } : {};
    const after = withClient(world, index, { ...idle, ...dead, acquisitionsLeft: 0, phase: 'crashed' });
    if (process === undefined) return after;
    if (mode !== 'embedded') return withStray(after, process);
    if (process.pending.kind !== 'call' || process.pending.call.operation === 'read') return after;
    return { ...after, late: [...world.late, { call: process.pending.call, age: 0 }] };
  }

  #timeOut(world: World, index: number): World {
    const { process, ...client } = clientAt(world, index);
    if (process === undefined) throw new Error('nothing to time out');
    const after = withStray(world, process);
    return this.#told(withClient(after, index, client), index, client, { kind: 'unknown' });
  }

  #abort(world: World, index: number, aheadMs: number): World {
    const { process, ...client } = clientAt(world, index);
    if (process && client.mode === 'embedded' && client.phase === 'asking') {
      const aborted = this.#processes.abort(process);
      const after = withClient(world, index, { ...client, process: aborted });
      return aborted.pending.kind === 'sleep' ? this.#answer(after, { client: index }, { kind: 'awake' }) : after;
    }
    const after = process ? withStray(world, process) : world;
    return this.#release(withClient(after, index, client), index, aheadMs);
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
