import { resourcesOf, synthesize } from './synthesized.ts';

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
