import { type Action, actionsOf } from './actions.ts';
import { Violation } from './rules-to-keep.ts';
import type { Scenario } from './scenario.ts';
import type { Steps } from './step.ts';
import { keyOf, type World } from './world.ts';

// Far more than anything but a circle needs.
const actionsPerTick = 300;

/**
 * From any state, once the faults stop, whoever keeps trying gets the lock and is done within a bounded time: runs worlds
 * to their end, everybody going on at once, every holder releasing at once.
 */
export class Calm {
  readonly #scenario: Scenario;
  readonly #steps: Steps;
  // Worlds that came to their end.
  readonly #known = new Set<number>();

  constructor(scenario: Scenario, steps: Steps) {
    this.#scenario = scenario;
    this.#steps = steps;
  }

  /** What would happen, up to an end that is known. @throws Violation when it does not end in time */
  run(world: World, note: (action: Action, after: World) => void = () => undefined): void {
    const keys: number[] = [];
    let now: World = { ...world, faultsLeft: 0, slowLeft: 0, past: [] };
    let ticks = 0;
    let actions = 0;
    while (now.clients.some(({ phase }) => phase !== 'done' && phase !== 'crashed')) {
      const key = keyOf(now);
      if (this.#known.has(key)) break;
      keys.push(key);
      const action = this.#next(now);
      now = this.#taken(now, action, note);
      note(action, now);
      actions = action.kind === 'tick' ? 0 : actions + 1;
      if (action.kind === 'tick') ticks++;
      if (ticks > this.#scenario.calmTicks)
        throw new Violation(`nothing goes wrong any more, and after ${ticks} ticks somebody still waits`);
      if (actions > actionsPerTick)
        throw new Violation('nothing goes wrong any more, and somebody goes round in circles');
    }
    for (const key of keys) this.#known.add(key);
  }

  // Also what must not happen is noted.
  #taken(world: World, action: Action, note: (action: Action, after: World) => void): World {
    try {
      return this.#steps.take(world, action);
    } catch (error) {
      if (error instanceof Violation) note(action, world);
      throw error;
    }
  }

  #next(world: World): Action {
    const actions = actionsOf(this.#scenario, world).filter(({ kind }) => kind !== 'renew' && kind !== 'delete');
    const at = (kind: Action['kind']) => actions.find((action) => action.kind === kind);
    const asks = actions.filter((action) => action.kind === 'ask');
    const waiting = asks.find((action) => action.mode !== 'try');
    const next =
      at('late write') ??
      at('store') ??
      at('wake') ??
      at('go on') ??
      at('inherit') ??
      at('transfer') ??
      at('release') ??
      waiting ??
      asks[0] ??
      at('tick');
    if (next === undefined) throw new Violation('nothing can happen any more');
    return next;
  }
}
