import type { Operation } from '../../sdk/wire/routes.ts';
import type { MetricName } from '../names.ts';
import type { Outcome } from '../service/outcomes.ts';

/** What one call adds to the metrics. Numbers only: no id, token, label or identity can get in. */
export type Measured = Readonly<Partial<Record<MetricName, number>>>;

/** Where a function counts what its calls came to. */
export interface Metrics {
  /** At the end of each call, also of one that came to nothing worth counting. */
  add(operation: Operation, measured: Measured): void;
}

/** What an outcome of the service is worth counting. */
export function measuredOf(operation: Operation, outcome: Outcome): Measured {
  switch (outcome.kind) {
    case 'granted':
      // A renewal's lease is no new grant.
      return operation === 'renew' ? {} : { Grants: 1, ...waits(outcome) };
    case 'held':
      return { Refusals: 1, ...waits(outcome), ...('lineFull' in outcome && { FullLines: 1 }) };
    case 'still-waiting':
    case 'place-lost':
    case 'token-spent':
      return waits(outcome);
    case 'released':
      return { ...(outcome.handedOver && { HandOvers: 1 }), ...(outcome.heir && { Transfers: 1 }) };
    case 'broken':
      return { Breaks: 1, ...(outcome.view.state === 'provisional' && { HandOvers: 1 }) };
    case 'lease-lost':
      return { LeasesLost: 1 };
    default:
      return {};
  }
}

function waits(outcome: Outcome): Measured {
  return 'waitedMs' in outcome && outcome.waitedMs !== undefined ? { Waits: outcome.waitedMs } : {};
}
