import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { LockService } from '../../../infra/lock-service.ts';
import { newApp, resourcesOf, standInCode, synthesize } from './synthesized.ts';

describe('the lock table', () => {
  const { template } = synthesize();
  const tables = resourcesOf(template, 'AWS::DynamoDB::GlobalTable');

  it('keeps its logical id, for a replaced table would be a second universe of locks', () => {
    expect(Object.keys(tables)).toEqual(['LocksTable84FB9352']);
    expect(resourcesOf(template, 'AWS::DynamoDB::Table')).toEqual({});
  });

  it('is keyed by lock id, paid by use, and expires items by ttl', () => {
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      KeySchema: [{ AttributeName: 'lockId', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'lockId', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    });
  });

  it('is replicated nowhere, protected against deletion, and recoverable', () => {
    expect(tables['LocksTable84FB9352']?.Properties['Replicas']).toEqual([
      {
        Region: { Ref: 'AWS::Region' },
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    ]);
  });

  it('stays when the stack goes or no longer wants it', () => {
    template.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });
});

describe('the removal policy of the table', () => {
  const tableWith = (removalPolicy: RemovalPolicy) => {
    const stack = new Stack(newApp(), 'Mine');
    new LockService(stack, 'Locks', { functionCode: standInCode, removalPolicy });
    return resourcesOf(Template.fromStack(stack), 'AWS::DynamoDB::GlobalTable')['LocksTable84FB9352'];
  };

  it.each([
    [RemovalPolicy.RETAIN, 'Retain', true],
    [RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE, 'RetainExceptOnCreate', true],
    [RemovalPolicy.DESTROY, 'Delete', false],
  ])('%s means %s, and protection against deletion: %s', (removalPolicy, DeletionPolicy, isProtected) => {
    expect(tableWith(removalPolicy)).toMatchObject({
      DeletionPolicy,
      Properties: { Replicas: [{ DeletionProtectionEnabled: isProtected }] },
    });
  });

  it.each([RemovalPolicy.SNAPSHOT, 'keep' as RemovalPolicy])('is not %s', (removalPolicy) => {
    expect(() => tableWith(removalPolicy)).toThrow(
      `removalPolicy must be one of retain, retain-on-update-or-delete, destroy, got "${removalPolicy}". A table has no snapshot`,
    );
  });
});
