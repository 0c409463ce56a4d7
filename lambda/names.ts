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
} as const;
