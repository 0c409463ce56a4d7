import { type Action, actionsOf } from './actions.ts';
import { Calm } from './calm.ts';
import { Processes, Unknown } from './process.ts';
import { Violation } from './rules-to-keep.ts';
import type { Scenario } from './scenario.ts';
import { Steps } from './step.ts';
import { describe, Names } from './words.ts';
import { beginning, keyOf, textOf, type World } from './world.ts';

export interface Limits {
  /** Stops when this many states are known. */
  readonly states?: number;
  readonly seconds?: number;
  /** One state in so many runs on without faults to its end; 0: none does. */
  readonly calmEach?: number;
  /** One repeated state in so many is compared with the first of its key; 0: none is. */
  readonly auditEach?: number;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  /** Distinct states. */
  readonly states: number;
  readonly transitions: number;
  /** Every state within this many actions of the beginning is known. */
  readonly depth: number;
  readonly seconds: number;
}

export interface Report extends Progress {
  /** Whether every reachable state is known. */
  readonly complete: boolean;
  /** How many states ran on without faults to their end. */
  readonly calmed: number;
  /** How many states of equal keys were compared. */
  readonly audited: number;
  readonly violation?: { readonly message: string; readonly trace: readonly string[] };
}

interface Found {
  readonly world: World;
  readonly id: number;
}

/** Breadth first through every state of a scenario: the first violation has a shortest trace. */
export class Exploration {
  readonly #scenario: Scenario;
  readonly #processes: Processes;
  readonly #steps: Steps;
  readonly #calm: Calm;
  #from: World;
  readonly #prefix: string[] = [];
  readonly #names = new Names();
  // How each state was first reached: from which state, by which of its actions.
  readonly #parents: number[] = [-1];
  readonly #choices: number[] = [-1];
  readonly #seen = new Set<number>();
  readonly #audits = new Map<number, { first?: string; others: World[] }>();
  #transitions = 0;
  #calmed = 0;
  #audited = 0;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.#processes = new Processes(scenario);
    this.#steps = new Steps(scenario, this.#processes);
    this.#calm = new Calm(scenario, this.#steps);
    this.#from = beginning(scenario);
  }

  async run(limits: Limits = {}): Promise<Report> {
    const {
      states = Number.POSITIVE_INFINITY,
      seconds = Number.POSITIVE_INFINITY,
      calmEach = 0,
      auditEach = 0,
    } = limits;
    const startedAt = performance.now();
    const elapsed = () => (performance.now() - startedAt) / 1_000;
    await this.#begin();
    this.#seen.add(keyOf(this.#from));
    let frontier: Found[] = [{ world: this.#from, id: 0 }];
    let depth = 0;
    const progress = () => ({ states: this.#seen.size, transitions: this.#transitions, depth, seconds: elapsed() });
    const report = (more: Partial<Report> = {}): Report => ({
      ...progress(),
      complete: false,
      calmed: this.#calmed,
      audited: this.#audited,
      ...more,
    });
    while (frontier.length > 0) {
      const next: Found[] = [];
      for (const found of frontier) {
        const violation = await this.#expand(found, next, calmEach, auditEach);
        if (violation) return report({ violation });
        if (this.#seen.size >= states || ((this.#transitions & 127) < 8 && elapsed() > seconds)) {
          await this.#auditAll();
          return report();
        }
      }
      frontier = next;
      depth++;
      limits.onProgress?.(progress());
    }
    await this.#auditAll();
    return report({ complete: true });
  }

  async #begin(): Promise<void> {
    for (const words of this.#scenario.prefix ?? []) {
      let found = false;
      for (const action of actionsOf(this.#scenario, this.#from)) {
        const after = await this.#known(() => this.#steps.take(this.#from, action));
        // Without a name for what does not happen.
        if (!describe(new Names(), this.#from, action, after).startsWith(words)) continue;
        this.#prefix.push(describe(this.#names, this.#from, action, after));
        this.#from = after;
        found = true;
        break;
      }
      if (!found) throw new Error(`the prefix does not go on with: ${words}`);
    }
  }

  async #expand(
    { world, id }: Found,
    next: Found[],
    calmEach: number,
    auditEach: number,
  ): Promise<Report['violation']> {
    const actions = actionsOf(this.#scenario, world);
    const keys: number[] = [];
    for (const [choice, action] of actions.entries()) {
      this.#transitions++;
      let after: World;
      try {
        after = await this.#known(() => this.#steps.take(world, action));
      } catch (error) {
        if (error instanceof Violation) return { message: error.message, trace: await this.#trace(id, choice) };
        throw error;
      }
      const key = keyOf(after);
      keys.push(key);
      if (this.#seen.has(key)) {
        if (auditEach > 0 && key % auditEach === 0) this.#audits.get(key)?.others.push(after);
        continue;
      }
      this.#seen.add(key);
      if (auditEach > 0 && key % auditEach === 0) this.#audits.set(key, { others: [] });
      const found = { world: after, id: this.#parents.length };
      this.#parents.push(id);
      this.#choices.push(choice);
      next.push(found);
      if (calmEach > 0 && key % calmEach === 0) {
        const violation = await this.#calmDown(found);
        if (violation) return violation;
      }
    }
    const audit = auditEach > 0 ? this.#audits.get(keyOf(world)) : undefined;
    if (audit) audit.first = summaryOf(keys);
    return undefined;
  }

  async #calmDown({ world, id }: Found): Promise<Report['violation']> {
    try {
      await this.#known(() => this.#calm.run(world));
      this.#calmed++;
      return undefined;
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      const trace = await this.#trace(id);
      const steps: string[] = [];
      let before: World = world;
      await this.#known(() => {
        steps.length = 0;
        before = world;
        try {
          this.#calm.run(world, (action, after) => {
            steps.push(describe(this.#names, before, action, after));
            before = after;
          });
        } catch (end) {
          if (!(end instanceof Violation)) throw end;
        }
      });
      return { message: error.message, trace: [...trace, '(no faults from here on)', ...steps] };
    }
  }

  // Equal keys stand for equal behaviour only if every state with a key leads to the same keys, the service run anew.
  async #auditAll(): Promise<void> {
    this.#processes.remembers = false;
    for (const { first, others } of this.#audits.values()) {
      if (first === undefined) continue;
      for (const world of others.slice(0, 3)) {
        const keys: number[] = [];
        for (const action of actionsOf(this.#scenario, world)) {
          keys.push(keyOf(await this.#known(() => this.#steps.take(world, action))));
        }
        if (summaryOf(keys) !== first) {
          throw new Error(`two states of the same key go on differently: ${textOf(world)}`);
        }
        this.#audited++;
      }
    }
    this.#processes.remembers = true;
  }

  async #known<T>(step: () => T): Promise<T> {
    for (;;) {
      try {
        return step();
      } catch (error) {
        if (!(error instanceof Unknown)) throw error;
        await this.#processes.learn(error);
      }
    }
  }

  async #trace(id: number, last?: number): Promise<string[]> {
    const choices = last === undefined ? [] : [last];
    for (let each = id; each > 0; each = this.#parents[each] as number) choices.unshift(this.#choices[each] as number);
    const trace = [...this.#prefix];
    let world = this.#from;
    for (const choice of choices) {
      const action = actionsOf(this.#scenario, world)[choice] as Action;
      let after = world;
      try {
        after = await this.#known(() => this.#steps.take(world, action));
      } catch (error) {
        if (!(error instanceof Violation)) throw error;
      }
      trace.push(describe(this.#names, world, action, after));
      world = after;
    }
    return trace;
  }
}

function summaryOf(keys: readonly number[]): string {
  return [...keys].sort((a, b) => a - b).join();
}
