import { asHeir } from './passing-on.ts';
import type { Process, Processes } from './process.ts';
import { checkNothingLeft, checkPlaceLost } from './rules-to-keep.ts';
import type { Scenario } from './scenario.ts';
import { T0, tickMs } from './ticks.ts';
import { type Client, idle, type World } from './world.ts';
import { clientAt, concerns, withClient, withStray } from './world-changes.ts';

type Outcome = Extract<Process['pending'], { kind: 'ended' }>['outcome'];

/** What the protocol's clients make of what they are told. */
export class Hearing {
  readonly #scenario: Scenario;
  readonly #processes: Processes;

  constructor(scenario: Scenario, processes: Processes) {
    this.#scenario = scenario;
    this.#processes = processes;
  }

  /** What `client` is told, its operation over. */
  told(world: World, index: number, client: Client, outcome: Outcome): World {
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
        if (client.lastRelease) checkNothingLeft(world, client);
        if (client.heir !== '') return this.#toldOfPassingOn(world, index, client, outcome);
        if (client.lastRelease) return this.#over(world, index);
        const busy = world.strays.some(({ request }) => concerns(request, client.token));
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

  // Answered with a lease, the heir counts it from this request; answered without, it acquires by itself.
  #toldOfPassingOn(world: World, index: number, client: Client, outcome: Outcome): World {
    const lease = outcome.kind === 'released' ? outcome.heir : undefined;
    if (lease === undefined) {
      return client.heirGone
        ? this.#over(world, index)
        : withClient(world, index, { ...client, phase: 'inheriting', sentAt: 0, lastRelease: false });
    }
    const heir = { ...asHeir(client, this.#scenario.renewals), sentAt: client.sentAt };
    const after = withClient(world, index, heir);
    // Nobody is there to hold it.
    if (client.heirGone) return withClient(world, index, { ...heir, phase: 'unreleased' });
    return this.#granted(after, index, heir, lease.fencingToken);
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
}
