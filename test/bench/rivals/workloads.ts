import type { Workload } from './workload.ts';
import { contended } from './workloads/contended.ts';
import { throughput } from './workloads/throughput.ts';
import { uncontended } from './workloads/uncontended.ts';

/** Everything that can be measured, by the name that the command line takes. */
export const workloads: Readonly<Record<string, Workload>> = { uncontended, throughput, contended };
