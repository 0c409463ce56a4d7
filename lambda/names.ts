/** Environment variables of clients, shared with the construct that sets them. */
export const clientEnvironmentNames = {
  /** Address of the API, or `memory:` and the like. */
  url: 'HOLDFAST_URL',
} as const;

/** Environment variables of the functions, shared with the stack that sets them. */
export const environmentNames = {
  /** Name of the table. */
  table: 'HOLDFAST_TABLE',
  /** Longest lease that may be asked for, milliseconds. */
  maxLeaseMs: 'HOLDFAST_MAX_LEASE_MS',
  /** How many may stand in line for one lock. */
  lineLimit: 'HOLDFAST_LINE_LIMIT',
  /** Who authorizes: `iam`, `jwt`, or `none` where nobody does (the local stack). */
  authorization: 'HOLDFAST_AUTHORIZATION',
  /** Name of the deployment, in its log lines and metrics: an account may have several. */
  service: 'HOLDFAST_SERVICE',
} as const;

/** Where all metrics of this project are in CloudWatch. */
export const metricNamespace = 'Holdfast';

/** The dimensions of the functions' metrics. There are no others: nothing that a caller names makes a metric. */
export const metricDimensions = { service: 'service', operation: 'operation' } as const;

const everyOperation = ['try', 'acquire', 'renew', 'release', 'inspect', 'list', 'break'] as const;

/**
 * What the functions count, and of which operations. What is not here, such as a renewal that went well, the gateway
 * already counts by route.
 */
export const countedOperations = {
  /** Leases given to whoever asked, provisional ones too; a repeated request that finds its lease counts again. */
  Grants: ['try', 'acquire'],
  /** Answers that another owner holds the lock. A caller that keeps its place in line is not refused. */
  Refusals: ['try', 'acquire'],
  /** Requests that were kept waiting, each with how long, milliseconds. */
  Waits: ['acquire'],
  /** Locks that went to the first in line in the write that ended the hold. */
  HandOvers: ['release', 'break'],
  /** Locks that went to the heir whom the holder named. */
  Transfers: ['release'],
  /** Answers that the caller does not hold the lock any more. */
  LeasesLost: ['renew', 'release'],
  /** Acquisitions that found as many in line as may stand in it. */
  FullLines: ['acquire'],
  /** Holds taken from their holders. */
  Breaks: ['break'],
  /** Requests for which the store gave no answer in time. */
  StoreUnavailable: everyOperation,
  /** Requests that failed for a fault of our own, or because the store refused the call. */
  InternalErrors: everyOperation,
} as const satisfies Readonly<Record<string, readonly (typeof everyOperation)[number][]>>;

export type MetricName = keyof typeof countedOperations;
