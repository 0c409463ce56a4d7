/** What a crowd is asked to do. A group is the name of the holders or waiters of one task; ids of locks are its own. */
export type CrowdTask =
  /** Takes each lock and keeps it, renewing it. Done when all are held. */
  | {
      readonly kind: 'hold';
      readonly group: string;
      readonly url: string;
      readonly lockIds: readonly string[];
      readonly leaseMs: number;
    }
  | { readonly kind: 'look at holders'; readonly group: string }
  /** Gives all locks of a group back. Done when each release has ended, one way or the other. */
  | { readonly kind: 'release'; readonly group: string }
  /**
   * Lets so many wait, spread over the locks, each as a process of its own would; whoever gets the lock gives it back
   * after `holdMs`. Done when the last of them has asked.
   */
  | {
      readonly kind: 'wait';
      readonly group: string;
      readonly url: string;
      readonly lockIds: readonly string[];
      readonly waiters: number;
      readonly startsPerSecond: number;
      readonly holdMs: number;
    }
  | { readonly kind: 'look at waiters'; readonly group: string };

/** How the holders of a group fare. */
export interface HoldersReport {
  readonly holding: number;
  /** For each hold that was lost, why. */
  readonly lost: readonly string[];
  /** Of the hold that was renewed least often. */
  readonly fewestRenewals: number;
  /** How many renewals got no usable answer and were tried again, by what was said of them. */
  readonly failedRenewals: Readonly<Record<string, number>>;
  /** The shortest that any lease ever had left, of what was seen every 100 ms. */
  readonly leastLeftMs: number;
}

export interface ReleaseReport {
  readonly released: number;
  /** For each that was not given back, why. */
  readonly failures: readonly string[];
}

export interface Grant {
  /** Numbered in the order in which they asked. */
  readonly waiter: number;
  readonly lockId: string;
  readonly fencingToken: number;
}

/** How the waiters of a group fare. */
export interface WaitersReport {
  /** How many were told that the lock is held. */
  readonly told: number;
  readonly grants: readonly Grant[];
  readonly failures: readonly string[];
}

/** What is answered to each kind of task. */
export interface CrowdReports {
  readonly hold: HoldersReport;
  readonly 'look at holders': HoldersReport;
  readonly release: ReleaseReport;
  readonly wait: WaitersReport;
  readonly 'look at waiters': WaitersReport;
}
