import { Names } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** What tells one lock service from another of the same account: in names, log lines and metrics. */
export function serviceName(scope: Construct): string {
  return Names.uniqueResourceName(scope, { maxLength: 128, separator: '-' });
}
