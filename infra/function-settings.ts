import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { limits } from '../sdk/wire/limits.ts';
import type { FunctionName } from '../sdk/wire/routes.ts';
import { checkRetention } from './log-retention.ts';
import { checkNamed, checkWholeNumber } from './refusal.ts';

/** What a deployment may set of its functions. */
export interface FunctionSettings {
  /**
   * The longest lease that may be asked for, milliseconds: 1,000 to 86,400,000 (a day). Below 30,000 it is the default
   * lease, too, of requests that ask for none.
   *
   * @default 3_600_000
   */
  readonly maxLeaseMs?: number;

  /**
   * How many may stand in line for one lock, 1 to 64. Whoever finds the line full is told when to ask again. Each waiter
   * makes the item larger, and each write to it dearer. Programs that go straight to the table keep to 64.
   *
   * @default 64
   */
  readonly lineLimit?: number;

  /**
   * How long the functions' own logs are kept.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;

  /**
   * Memory of the functions, megabytes, 128 to 10,240 each. A waiting request is billed memory times wall-clock time;
   * processor time comes with memory.
   *
   * @default - acquire 128, lease 256, admin 256
   */
  readonly memoryMb?: Readonly<Partial<Record<FunctionName, number>>>;
}

/** What Lambda can be told, megabytes. */
export const memoryBounds = { min: 128, max: 10_240 };
const names: readonly FunctionName[] = ['acquire', 'lease', 'admin'];

/**
 * Fills in what is not set.
 *
 * @throws Error for what no deployment may set
 */
export function functionSettings(props: FunctionSettings): Required<FunctionSettings> {
  const {
    maxLeaseMs = limits.maxLeaseMs.default,
    lineLimit = limits.lineLimit.default,
    logRetention = RetentionDays.ONE_MONTH,
    memoryMb = {},
  } = props;
  const leaseBounds = { min: limits.leaseMs.min, max: limits.maxLeaseMs.ceiling };
  checkWholeNumber('maxLeaseMs', maxLeaseMs, leaseBounds, ' of milliseconds');
  checkWholeNumber('lineLimit', lineLimit, limits.lineLimit);
  checkRetention('logRetention', logRetention);
  checkNamed('memoryMb', memoryMb, names, 'Leave it out for the defaults.');
  for (const [name, size] of Object.entries(memoryMb as Required<FunctionSettings>['memoryMb'])) {
    if (size !== undefined) checkWholeNumber(`memoryMb.${name}`, size, memoryBounds, ' of megabytes');
  }
  return { maxLeaseMs, lineLimit, logRetention, memoryMb };
}
