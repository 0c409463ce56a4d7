import type { Workload } from './workload.ts';
import type { WorkloadName } from './workload-names.ts';
import { contended } from './workloads/contended.ts';
import { inProcess } from './workloads/in-process.ts';
import { takeOver } from './workloads/take-over.ts';
import { throughput } from './workloads/throughput.ts';
import { uncontended } from './workloads/uncontended.ts';
import { waitingCost } from './workloads/waiting-cost.ts';

/** Everything that can be measured, by its name. */
export const workloads: Readonly<Record<WorkloadName, Workload>> = {
  uncontended,
  throughput,
  contended,
  'in-process': inProcess,
  'take-over': takeOver,
  'waiting-cost': waitingCost,
};
