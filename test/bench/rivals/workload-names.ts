/** What can be measured, as the command line names it: known before any of it, and what it is measured against, is loaded. */
export const workloadNames = [
  'uncontended',
  'throughput',
  'contended',
  'in-process',
  'take-over',
  'waiting-cost',
] as const;

export type WorkloadName = (typeof workloadNames)[number];
