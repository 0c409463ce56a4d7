import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';

/**
 * The table that keeps the locks, one item per lock.
 *
 * It outlives its stack: losing it loses every hold and, worse, every fencing token given out. For the same reason its
 * place in the construct tree must never change: another logical id is another, empty table, while programs still hold
 * locks of the old one.
 *
 * It is a global table with a single replica, because an ordinary table cannot become a strongly consistent
 * multi-Region one without being replaced.
 */
export function createLockTable(scope: Construct): TableV2 {
  return new TableV2(scope, 'Table', {
    partitionKey: { name: 'lockId', type: AttributeType.STRING },
    billing: Billing.onDemand(),
    // Keys of one's own add a call to KMS and its quota to every lock operation.
    encryption: TableEncryptionV2.dynamoOwnedKey(),
    timeToLiveAttribute: 'ttl',
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
}
