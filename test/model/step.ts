import type { Action, Whose } from './actions.ts';
import { Hearing } from './hearing.ts';
import { hasHeir, withoutHeir } from './passing-on.ts';
import { afterTick } from './passing-time.ts';
import type { Answer, Processes } from './process.ts';
import { Requests } from './requests.ts';
import { checkState } from './rules-to-keep.ts';
import type { Scenario } from './scenario.ts';
import { memoryStore } from './store-call.ts';
import { idle, type World } from './world.ts';
import { callOf, clientAt, fault, late, processOf, withClient, withoutStrays, withStray } from './world-changes.ts';
import { Writes } from './writes.ts';

/**
 * The world after an action. What the protocol's clients ask is in `Requests`, what they make of an answer in `Hearing`;
 * what the service does is the service's own.
 */
export class Steps {
  readonly #scenario: Scenario;
  readonly #processes: Processes;
  readonly #writes: Writes;
  readonly #requests: Requests;
  readonly #hearing: Hearing;

  constructor(scenario: Scenario, processes: Processes) {
    this.#scenario = scenario;
    this.#processes = processes;
    this.#writes = new Writes(scenario, processes);
    this.#requests = new Requests(scenario, processes);
    this.#hearing = new Hearing(scenario, processes);
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
        return this.#requests.ask(world, action.client, action.mode, action.aheadMs);
      case 'go on':
        return this.#requests.goOn(world, action.client, action.aheadMs);
      case 'renew':
        return this.#requests.send(world, action.client, 'renewing', { kind: 'renew' }, action.aheadMs);
      case 'release':
        return this.#requests.release(world, action.client, action.aheadMs);
      case 'transfer':
        return this.#requests.transfer(world, action.client, action.aheadMs);
      case 'inherit':
        return this.#requests.inherit(world, action);
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
    const { world: written, answer } = this.#writes.apply(paid, call);
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
    return this.#writes.apply({ ...world, late: world.late.filter((_, each) => each !== index) }, call).world;
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
    return this.#hearing.told(withClient(world, index, client), index, client, pending.outcome);
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
    return this.#hearing.told(withClient(after, index, client), index, client, { kind: 'unknown' });
  }

  #abort(world: World, index: number, aheadMs: number): World {
    const { process, ...client } = clientAt(world, index);
    if (hasHeir(client)) return withClient(world, index, withoutHeir(clientAt(world, index)));
    if (process && client.mode === 'embedded' && client.phase === 'asking') {
      const aborted = this.#processes.abort(process);
      const after = withClient(world, index, { ...client, process: aborted });
      return aborted.pending.kind === 'sleep' ? this.#answer(after, { client: index }, { kind: 'awake' }) : after;
    }
    const after = process ? withStray(world, process) : world;
    return this.#requests.release(withClient(after, index, client), index, aheadMs);
  }
}
