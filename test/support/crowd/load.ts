import { until } from '../until.ts';
import type { CrowdProcess } from './client-process.ts';
import type { HoldersReport, ReleaseReport, WaitersReport } from './tasks.ts';

/** Holders of locks that nobody else wants, beside waiters for a few locks that are held all the time. */
export interface LoadSize {
  readonly holders: number;
  readonly leaseMs: number;
  readonly waiters: number;
  readonly wantedLocks: number;
  /** How many waiters begin a second. */
  readonly startsPerSecond: number;
  /** How long a waiter keeps the lock when it gets it in the end. */
  readonly holdMs: number;
}

/** The processes of loads: the one that holds, and those that wait. */
export interface Crowd {
  readonly holding: CrowdProcess;
  readonly waiting: readonly CrowdProcess[];
}

/** Whose locks: those that nobody else wants, or those that all waiters want. */
type Which = 'quiet' | 'wanted';

/** A load on a local stack. One crowd may carry several at once, under different names. */
export class Load {
  readonly #crowd: Crowd;
  readonly #name: string;
  readonly #url: string;
  readonly #size: LoadSize;

  constructor(crowd: Crowd, name: string, url: string, size: LoadSize) {
    this.#crowd = crowd;
    this.#name = name;
    this.#url = url;
    this.#size = size;
  }

  /** Resolves when all locks are held and the last of the waiters has begun. */
  async start(): Promise<void> {
    const { holders, leaseMs, waiters, wantedLocks, startsPerSecond, holdMs } = this.#size;
    const { holding, waiting } = this.#crowd;
    const url = this.#url;
    await this.#hold(holding, 'quiet', holders, leaseMs);
    await this.#hold(holding, 'wanted', wantedLocks, leaseMs);
    const lockIds = this.#lockIds('wanted', wantedLocks);
    const shares = waiting.map((_, at) => Math.floor((waiters + at) / waiting.length));
    await Promise.all(
      waiting.map((process, at) =>
        process.do({
          kind: 'wait',
          group: this.#name,
          url,
          lockIds,
          waiters: shares[at] ?? 0,
          startsPerSecond: startsPerSecond / waiting.length,
          holdMs,
        }),
      ),
    );
  }

  holders(which: Which): Promise<HoldersReport> {
    return this.#crowd.holding.do({ kind: 'look at holders', group: this.#group(which) });
  }

  release(which: Which): Promise<ReleaseReport> {
    return this.#crowd.holding.do({ kind: 'release', group: this.#group(which) });
  }

  /** Of each of the processes. */
  waiters(): Promise<WaitersReport[]> {
    return Promise.all(
      this.#crowd.waiting.map((process) => process.do({ kind: 'look at waiters', group: this.#name })),
    );
  }

  /** Resolves once each quiet hold was renewed so many times more, or one is lost. */
  async untilRenewed(times: number): Promise<HoldersReport> {
    const { fewestRenewals } = await this.holders('quiet');
    return this.#untilQuietHolders(
      `have each renewed ${times} times`,
      (report) => report.lost.length > 0 || report.fewestRenewals >= fewestRenewals + times,
    );
  }

  /** Resolves once a quiet hold is lost. */
  untilLost(): Promise<HoldersReport> {
    return this.#untilQuietHolders('have lost one', (report) => report.lost.length > 0);
  }

  async #untilQuietHolders(what: string, holds: (report: HoldersReport) => boolean): Promise<HoldersReport> {
    let report = await this.holders('quiet');
    await until(`the quiet holders of ${this.#name} ${what}`, async () => {
      report = await this.holders('quiet');
      return holds(report);
    });
    return report;
  }

  async #hold(process: CrowdProcess, which: Which, locks: number, leaseMs: number): Promise<void> {
    const lockIds = this.#lockIds(which, locks);
    await process.do({ kind: 'hold', group: this.#group(which), url: this.#url, lockIds, leaseMs });
  }

  #group(which: Which): string {
    return `${this.#name}/${which}`;
  }

  #lockIds(which: Which, count: number): string[] {
    return Array.from({ length: count }, (_, at) => `${this.#name}/${which} ${at}`);
  }
}
