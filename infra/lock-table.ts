import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, Billing, type CfnGlobalTable, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { MultiRegionProps } from './multi-region.ts';
import { refusal, shown } from './refusal.ts';

/** The removal policies that a table can have. */
const removalPolicies: readonly RemovalPolicy[] = [
  RemovalPolicy.RETAIN,
  RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  RemovalPolicy.DESTROY,
];

/**
 * The table that keeps the locks, one item per lock.
 *
 * It outlives its stack: losing it loses every hold and, worse, every fencing token given out. For the same reason its
 * place in the construct tree must never change: another logical id is another, empty table, while programs still hold
 * locks of the old one.
 *
 * It is a global table even with a single replica, because an ordinary table cannot become a strongly consistent
 * multi-Region one without being replaced.
 */
export function createLockTable(
  scope: Construct,
  props: { readonly removalPolicy?: RemovalPolicy | undefined; readonly multiRegion?: MultiRegionProps | undefined },
): TableV2 {
  const { removalPolicy = RemovalPolicy.RETAIN, multiRegion } = props;
  checkRemovalPolicy(removalPolicy);
  const table = new TableV2(scope, 'Table', {
    partitionKey: { name: 'lockId', type: AttributeType.STRING },
    billing: Billing.onDemand(),
    // Keys of one's own add a call to KMS and its quota to every lock operation.
    encryption: TableEncryptionV2.dynamoOwnedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: removalPolicy !== RemovalPolicy.DESTROY,
    removalPolicy,
    ...(multiRegion
      ? { tableName: multiRegion.tableName, replicas: multiRegion.replicaRegions.map((region) => ({ region })) }
      : // Strongly consistent replicas exclude a time to live.
        { timeToLiveAttribute: 'ttl' }),
  });
  const resource = table.node.defaultChild as CfnGlobalTable;
  if (multiRegion) {
    // Not by the construct's own props, which know an old list of Regions and refuse all others.
    resource.multiRegionConsistency = 'STRONG';
    if (multiRegion.witnessRegion) resource.globalTableWitnesses = [{ region: multiRegion.witnessRegion }];
  }
  scope.node.addValidation({ validate: () => tableFaults(scope, resource, multiRegion) });
  return table;
}

function checkRemovalPolicy(removalPolicy: RemovalPolicy): void {
  if (removalPolicies.includes(removalPolicy)) return;
  throw refusal(
    'removalPolicy',
    `must be one of ${removalPolicies.join(', ')}`,
    removalPolicy,
    'A table has no snapshot that could go back into service: keep the table (RETAIN), or let it go (DESTROY).',
  );
}

// What was done to the table after it was made: by its own methods, those of CloudFormation's resource, or overrides.
function tableFaults(scope: Construct, resource: CfnGlobalTable, multiRegion: MultiRegionProps | undefined): string[] {
  const { Replicas, MultiRegionConsistency: consistency, TimeToLiveSpecification } = propertiesOf(resource);
  const replicas = Array.isArray(Replicas) ? (Replicas as readonly { readonly Region?: unknown }[]) : [];
  const wanted = [Stack.of(scope).region, ...(multiRegion?.replicaRegions ?? [])];
  const isElsewhere = multiRegion && !replicas.every(({ Region }) => wanted.some((region) => region === Region));
  const faults: string[] = [];
  if (replicas.length !== wanted.length || isElsewhere || (multiRegion && consistency !== 'STRONG')) {
    const where = multiRegion
      ? ` in ${shown(replicas.map(({ Region }) => Region))} with consistency ${consistency}`
      : '';
    faults.push(
      `the table must have ${wanted.length} replica(s)${multiRegion ? `, strongly consistent, in ${wanted.join(', ')}` : ''}` +
        `, got ${replicas.length}${where}. Use the prop multiRegion: eventually consistent replicas would grant one lock in ` +
        'two Regions at the same time.',
    );
  }
  if (multiRegion && TimeToLiveSpecification !== undefined) {
    faults.push(
      'the table must have no time to live, got one. Leave it out: DynamoDB has none for strongly consistent replicas. ' +
        'Items long at rest are removed by "npm run sweep", in a clone of the repository.',
    );
  }
  return faults;
}

// As they go into the template: overrides are seen nowhere else.
function propertiesOf(resource: CfnGlobalTable): Readonly<Record<string, unknown>> {
  const template = Stack.of(resource).resolve(resource._toCloudFormation()) as {
    readonly Resources: Readonly<Record<string, { readonly Properties?: Readonly<Record<string, unknown>> }>>;
  };
  return Object.values(template.Resources)[0]?.Properties ?? {};
}
