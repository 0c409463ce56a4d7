import { type LockStore, StoreFailedError, StoreUnavailableError } from '../../../lambda/service/lock-store.ts';
import type { Fault, Network, Step, Trap } from './network.ts';

const steps: Readonly<Record<keyof LockStore, Step>> = {
  claim: 'claim',
  claimAsHead: 'claim',
  claimPast: 'claim',
  join: 'join',
  keepTicket: 'join',
  renew: 'renew',
  release: 'release',
  releasePast: 'release',
  handOver: 'release',
  transfer: 'release',
  leave: 'release',
  breakHold: 'break',
  remove: 'release',
  read: 'look',
  list: 'look',
};

interface SetTrap {
  readonly step: Step;
  readonly fault: Fault;
  readonly strike: () => void;
  readonly letThrough: Promise<void>;
}

/** What lies between a service and a store in the same process: nothing but what a test puts there. */
export class StoreNetwork implements Network {
  readonly asked: Step[] = [];
  /** The store behind the network. */
  readonly store: LockStore;
  readonly #calls: (() => Promise<unknown>)[] = [];
  readonly #traps: SetTrap[] = [];
  // Calls of which nothing is heard.
  readonly #unheard: ((error: Error) => void)[] = [];
  #ruleOf: (step: Step) => Fault | undefined = () => undefined;

  constructor(store: LockStore) {
    const through = Object.entries(steps).map(([operation, step]) => {
      const ask = store[operation as keyof LockStore].bind(store) as (...args: unknown[]) => Promise<unknown>;
      return [operation, (...args: unknown[]) => this.#meet(step, () => ask(...args))];
    });
    this.store = Object.fromEntries(through);
  }

  trap(step: Step, fault: Fault): Trap {
    let strike: () => void = () => undefined;
    let letThrough: () => void = () => undefined;
    const struck = new Promise<void>((resolve) => {
      strike = resolve;
    });
    const through = new Promise<void>((resolve) => {
      letThrough = resolve;
    });
    this.#traps.push({ step, fault, strike, letThrough: through });
    return {
      struck,
      async letThrough() {
        letThrough();
        // What was held has been done by then: nothing but promises is between.
        await new Promise((resolve) => setImmediate(resolve));
      },
    };
  }

  setRule(rule: (step: Step) => Fault | undefined = () => undefined): void {
    this.#ruleOf = rule;
  }

  dropConnections(): void {
    for (const reject of this.#unheard.splice(0)) reject(new StoreUnavailableError('reset', { answered: false }));
  }

  async replay(index: number): Promise<void> {
    await this.#calls[index]?.();
  }

  #silence(): Promise<never> {
    return new Promise((_, reject) => this.#unheard.push(reject));
  }

  async #meet<T>(step: Step, ask: () => Promise<T>): Promise<T> {
    this.asked.push(step);
    this.#calls.push(ask);
    const at = this.#traps.findIndex((trap) => trap.step === step);
    const [trap] = at >= 0 ? this.#traps.splice(at, 1) : [];
    const fault = trap?.fault ?? this.#ruleOf(step);
    switch (fault) {
      case undefined:
        return ask();
      case 'lost-request':
        trap?.strike();
        throw new StoreUnavailableError(fault, { answered: false });
      case 'throttled':
      case 'failed':
        trap?.strike();
        throw new StoreUnavailableError(fault, { answered: true });
      case 'refused':
        trap?.strike();
        throw new StoreFailedError(fault);
      case 'lost-reply':
      case 'reset':
        await ask();
        trap?.strike();
        throw new StoreUnavailableError(fault, { answered: false });
      case 'cut-off':
        trap?.strike();
        return this.#silence();
      case 'silence':
        await ask();
        trap?.strike();
        return this.#silence();
      case 'held-request':
        trap?.strike();
        await trap?.letThrough;
        return ask();
      case 'held-reply': {
        const answer = await ask();
        trap?.strike();
        await trap?.letThrough;
        return answer;
      }
    }
  }
}
