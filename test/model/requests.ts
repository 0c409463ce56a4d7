import type { Action } from './actions.ts';
import { asHeir } from './passing-on.ts';
import type { Processes, Request } from './process.ts';
import type { Mode, Scenario } from './scenario.ts';
import { T0 } from './ticks.ts';
import { type Client, freshToken, idle, type World } from './world.ts';
import { clientAt, concerns, withClient, withStray } from './world-changes.ts';

/** What the protocol's clients ask the service, each request an operation that is under way from then on. */
export class Requests {
  readonly #scenario: Scenario;
  readonly #processes: Processes;

  constructor(scenario: Scenario, processes: Processes) {
    this.#scenario = scenario;
    this.#processes = processes;
  }

  /** It wants the lock, with a fresh token. */
  ask(world: World, index: number, mode: Mode, aheadMs: number): World {
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
        return this.send(world, index, 'asking', { kind: 'try' }, aheadMs);
      case 'embedded': {
        const request = { kind: 'acquire', waitMs: Number.POSITIVE_INFINITY, confirm: true, resume: inLine } as const;
        return this.send(world, index, 'asking', request, aheadMs);
      }
      case 'http': {
        const request = { kind: 'acquire', waitMs, confirm: true, keepPlace: true, resume: inLine } as const;
        return this.send(world, index, 'asking', waits ? request : { kind: 'try' }, aheadMs);
      }
      case 'plain':
        return this.send(world, index, 'asking', { kind: 'acquire', waitMs }, aheadMs);
    }
  }

  /** It comes back, repeats, confirms or releases. */
  goOn(world: World, index: number, aheadMs: number): World {
    switch (clientAt(world, index).phase) {
      case 'granted':
        return this.send(world, index, 'confirming', { kind: 'renew' }, aheadMs);
      case 'unreleased':
        return this.release(world, index, aheadMs);
      default:
        return this.#acquire(world, index, aheadMs);
    }
  }

  send(world: World, index: number, phase: Client['phase'], request: Omit<Request, 'token'>, aheadMs: number): World {
    const client = clientAt(world, index);
    const process = this.#processes.start({ ...request, token: client.token }, aheadMs);
    // The time for confirming runs on over its repeats.
    const dueAt = phase === 'confirming' ? client.dueAt : 0;
    return withClient(world, index, { ...client, phase, process, sentAt: T0, dueAt });
  }

  release(world: World, index: number, aheadMs: number): World {
    const client = clientAt(world, index);
    const { token, heir } = client;
    const lastRelease = !world.strays.some(({ request }) => concerns(request, token));
    const given = withClient(world, index, { ...client, deadline: 0, fence: 0, lastRelease });
    const expectWaiters = this.#scenario.looksFirst === true;
    const request = { kind: 'release', expectWaiters, ...(heir !== '' && { heir }) } as const;
    return this.send(given, index, 'releasing', request, aheadMs);
  }

  /** The release names a further acquisition of this client as its heir. */
  transfer(world: World, index: number, aheadMs: number): World {
    const named = { ...clientAt(world, index), heir: freshToken(world) };
    return this.release(withClient(world, index, named), index, aheadMs);
  }

  inherit(world: World, { client: index, by, aheadMs }: Extract<Action, { kind: 'inherit' }>): World {
    const { renewals, timing, cleansUp } = this.#scenario;
    const before = clientAt(world, index);
    const { acquisitionsLeft, ...heir } = asHeir(before, renewals);
    const become = (client: Partial<Client>) => withClient(world, index, { ...idle, acquisitionsLeft, ...client });
    const inherited = (): World => {
      switch (by) {
        case 'asking':
          return this.#acquire(become(heir), index, aheadMs);
        case 'confirming': {
          const confirms = become({ ...heir, dueAt: T0 + timing.claimWindowMs });
          return this.send(confirms, index, 'confirming', { kind: 'renew' }, aheadMs);
        }
        case 'releasing':
          return this.release(become(heir), index, aheadMs);
        case 'starting anew':
          return become({});
      }
    };
    // The release that got no answer may be tried again, for nobody any more.
    const unsure = cleansUp && before.phase === 'unreleased';
    return unsure
      ? withStray(inherited(), this.#processes.start({ kind: 'release', token: before.token }, aheadMs))
      : inherited();
  }
}
