import { type App, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import { Annotations, Template } from 'aws-cdk-lib/assertions';
import type { CfnGlobalTable, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { multiRegionApp } from '../../../infra/examples/multi-region.ts';
import { LockService, type LockServiceProps } from '../../../infra/lock-service.ts';
import type { MultiRegionProps } from '../../../infra/multi-region.ts';
import { newApp, type Resource, resourcesOf, standInCode, unwatched } from './synthesized.ts';

const threeRegions: MultiRegionProps = { replicaRegions: ['eu-west-1', 'eu-north-1'], tableName: 'locks' };
const witnessed: MultiRegionProps = { replicaRegions: ['eu-west-1'], witnessRegion: 'eu-west-3', tableName: 'locks' };

function primaryWith(multiRegion: object | undefined, { app = newApp(), region = 'eu-central-1', account = '' } = {}) {
  const env = { ...(region && { region }), ...(account && { account }) };
  const stack = new Stack(app, 'Primary', { env });
  const props = { functionCode: standInCode, ...(multiRegion && { multiRegion: multiRegion as MultiRegionProps }) };
  return { app, stack, locks: new LockService(stack, 'Locks', { ...unwatched, ...props }) };
}

function secondaryOf(primary: LockService, app: App, env: object, props: LockServiceProps = {}) {
  const stack = new Stack(app, 'Secondary', { env });
  return {
    stack,
    locks: new LockService(stack, 'Locks', { functionCode: standInCode, ...unwatched, replicaOf: primary, ...props }),
  };
}

function tableOf(stack: Stack): Resource {
  const [table, ...others] = Object.values(resourcesOf(Template.fromStack(stack), 'AWS::DynamoDB::GlobalTable'));
  if (!table || others.length > 0) throw new Error('not exactly one table');
  return table;
}

describe('a table in several Regions', () => {
  it('is strongly consistent in three', () => {
    const { Properties } = tableOf(primaryWith(threeRegions).stack);
    expect(Properties).toMatchObject({ TableName: 'locks', MultiRegionConsistency: 'STRONG' });
    expect((Properties['Replicas'] as { Region: string }[]).map(({ Region }) => Region).sort()).toEqual([
      'eu-central-1',
      'eu-north-1',
      'eu-west-1',
    ]);
    expect(Properties).not.toHaveProperty('GlobalTableWitnesses');
  });

  it('is strongly consistent in two with a witness', () => {
    const { Properties } = tableOf(primaryWith(witnessed).stack);
    expect(Properties).toMatchObject({
      MultiRegionConsistency: 'STRONG',
      GlobalTableWitnesses: [{ Region: 'eu-west-3' }],
    });
    expect(Properties['Replicas']).toHaveLength(2);
  });

  it('is protected and recoverable in each, and has no time to live', () => {
    const { Properties } = tableOf(primaryWith(threeRegions).stack);
    for (const replica of Properties['Replicas'] as object[]) {
      expect(replica).toMatchObject({
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      });
    }
    expect(Properties).not.toHaveProperty('TimeToLiveSpecification');
  });

  it('may be in Regions that CDK has never heard of', () => {
    const multiRegion = { replicaRegions: ['xy-central-9'], witnessRegion: 'xy-east-12', tableName: 'locks' };
    expect(tableOf(primaryWith(multiRegion, { region: 'xy-west-3' }).stack).Properties).toMatchObject({
      MultiRegionConsistency: 'STRONG',
    });
  });

  it('keeps the logical id that a table in one Region has', () => {
    const template = Template.fromStack(primaryWith(threeRegions).stack);
    expect(Object.keys(resourcesOf(template, 'AWS::DynamoDB::GlobalTable'))).toEqual(['LocksTable84FB9352']);
  });

  it.each<[string, object, string]>([
    [
      'eventual consistency',
      { ...witnessed, consistency: 'eventual' },
      `multiRegion.consistency must be 'strong', got "eventual". Leave it out`,
    ],
    [
      'no table name',
      { ...witnessed, tableName: undefined },
      'multiRegion.tableName must be 3 to 255 of A-Za-z0-9_.-, got nothing.',
    ],
    [
      'too short a table name',
      { ...witnessed, tableName: 'ab' },
      'multiRegion.tableName must be 3 to 255 of A-Za-z0-9_.-, got "ab".',
    ],
    [
      'a table name with a slash',
      { ...witnessed, tableName: 'a/bc' },
      'multiRegion.tableName must be 3 to 255 of A-Za-z0-9_.-, got "a/bc".',
    ],
    [
      'a table name that is not known',
      { ...witnessed, tableName: Token.asString({ Ref: 'X' }) },
      'multiRegion.tableName must be 3 to 255 of A-Za-z0-9_.-, got a value that is only known when the stack is deployed.',
    ],
    [
      'one Region',
      { replicaRegions: [], tableName: 'locks' },
      `multiRegion must be three Regions with the stack's own, or two and a witness, got ["eu-central-1"].`,
    ],
    [
      'two Regions and no witness',
      { replicaRegions: ['eu-west-1'], tableName: 'locks' },
      `multiRegion must be three Regions with the stack's own, or two and a witness, got ["eu-central-1","eu-west-1"].`,
    ],
    [
      'a witness alone',
      { replicaRegions: [], witnessRegion: 'eu-west-3', tableName: 'locks' },
      `multiRegion must be three Regions with the stack's own, or two and a witness, got ["eu-central-1","eu-west-3"].`,
    ],
    [
      'three Regions and a witness',
      { ...threeRegions, witnessRegion: 'eu-west-3' },
      `multiRegion must be three Regions with the stack's own, or two and a witness`,
    ],
    [
      'four Regions',
      { replicaRegions: ['eu-west-1', 'eu-west-2', 'eu-west-3'], tableName: 'locks' },
      'multiRegion must be three Regions',
    ],
    [
      'no list',
      { replicaRegions: 'eu-west-1', tableName: 'locks' },
      'multiRegion.replicaRegions must be a list of Regions, got "eu-west-1".',
    ],
    [
      'a witness that serves, too',
      { ...witnessed, witnessRegion: 'eu-west-1' },
      'multiRegion.witnessRegion must be another Region than those that serve the locks (eu-central-1, eu-west-1), got "eu-west-1".',
    ],
    [
      'the stack’s Region as witness',
      { ...witnessed, witnessRegion: 'eu-central-1' },
      'multiRegion.witnessRegion must be another Region',
    ],
    [
      'the stack’s Region as replica',
      { ...witnessed, replicaRegions: ['eu-central-1'] },
      `multiRegion.replicaRegions must be different Regions, without the stack's own (eu-central-1), got ["eu-central-1"].`,
    ],
    [
      'a Region twice',
      { replicaRegions: ['eu-west-1', 'eu-west-1'], tableName: 'locks' },
      'multiRegion.replicaRegions must be different Regions',
    ],
    [
      'what is no Region',
      { ...witnessed, replicaRegions: ['Ireland'] },
      'multiRegion.replicaRegions must name Regions, such as eu-west-1, got "Ireland".',
    ],
    [
      'a witness that is no Region',
      { ...witnessed, witnessRegion: 'eu-west' },
      'multiRegion.witnessRegion must name Regions, such as eu-west-1, got "eu-west".',
    ],
    [
      'a Region that is not known',
      { ...witnessed, replicaRegions: [Token.asString({ Ref: 'X' })] },
      'multiRegion.replicaRegions must name Regions, such as eu-west-1, got a value that is only known when the stack is deployed.',
    ],
  ])('is not made with %s', (_, multiRegion, message) => {
    expect(() => primaryWith(multiRegion)).toThrow(message);
  });

  it('is not made from a stack whose Region nobody named', () => {
    expect(() => primaryWith(witnessed, { region: '' })).toThrow(
      'multiRegion needs a stack whose Region is known at synthesis, got a value that is only known when the stack is deployed. Name it: new Stack(',
    );
  });
});

describe('what is done to the table behind the construct’s back', () => {
  const resource = (locks: LockService) => locks.table.node.defaultChild as CfnGlobalTable;

  it('must not be an eventually consistent replica', () => {
    const { app, locks } = primaryWith(undefined);
    (locks.table as TableV2).addReplica({ region: 'eu-west-1' });
    expect(() => app.synth()).toThrow('the table must have 1 replica(s), got 2. Use the prop multiRegion');
  });

  it('must not be one replica more', () => {
    const { app, locks } = primaryWith(witnessed);
    (locks.table as TableV2).addReplica({ region: 'eu-west-2' });
    expect(() => app.synth()).toThrow(
      'the table must have 2 replica(s), strongly consistent, in eu-central-1, eu-west-1, got 3 in [',
    );
  });

  it('must not be eventual consistency', () => {
    const { app, locks } = primaryWith(witnessed);
    resource(locks).multiRegionConsistency = 'EVENTUAL';
    expect(() => app.synth()).toThrow('with consistency EVENTUAL.');
  });

  it('must not be a time to live, in several Regions', () => {
    const { app, locks } = primaryWith(witnessed);
    resource(locks).timeToLiveSpecification = { attributeName: 'ttl', enabled: true };
    expect(() => app.synth()).toThrow('the table must have no time to live, got one.');
  });

  it.each<[string, string, unknown, string]>([
    ['eventual consistency', 'MultiRegionConsistency', 'EVENTUAL', 'with consistency EVENTUAL.'],
    ['no consistency', 'MultiRegionConsistency', undefined, 'with consistency undefined.'],
    [
      'one replica more',
      'Replicas.2',
      { Region: 'eu-west-2' },
      'got 3 in ["eu-west-1","eu-central-1","eu-west-2"] with',
    ],
    ['another replica', 'Replicas.0.Region', 'eu-west-2', 'got 2 in ["eu-west-2","eu-central-1"] with'],
    ['a time to live', 'TimeToLiveSpecification', { AttributeName: 'ttl', Enabled: true }, 'no time to live, got one.'],
  ])('must not be %s by an override', (_, path, value, message) => {
    const { app, locks } = primaryWith(witnessed);
    resource(locks).addPropertyOverride(path, value);
    expect(() => app.synth()).toThrow(message);
  });

  it('must not be a replica by an override where there is one Region', () => {
    const { app, locks } = primaryWith(undefined);
    resource(locks).addPropertyOverride('Replicas.1', { Region: 'eu-west-1' });
    expect(() => app.synth()).toThrow('the table must have 1 replica(s), got 2.');
  });

  it('may be anything else', () => {
    const { app, locks } = primaryWith(witnessed);
    resource(locks).addPropertyOverride('Tags', []);
    expect(() => app.synth()).not.toThrow();
  });
});

describe('a lock service of another Region', () => {
  it('has an API and functions of its own, on the replica of the table there, and no table', () => {
    const { app, locks: primary } = primaryWith(threeRegions);
    const { stack } = secondaryOf(primary, app, { region: 'eu-north-1' });
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::DynamoDB::GlobalTable', 0);
    template.resourceCountIs('AWS::ApiGatewayV2::Route', 7);
    const functions = Object.values(resourcesOf(template, 'AWS::Lambda::Function'));
    expect(functions).toHaveLength(3);
    for (const { Properties } of functions) {
      expect(Properties['Environment']).toMatchObject({ Variables: { HOLDFAST_TABLE: 'locks' } });
    }
    const policies = JSON.stringify(resourcesOf(template, 'AWS::IAM::Policy'));
    expect(policies.match(/:dynamodb:[a-z0-9-]+:/g)).toEqual([
      ':dynamodb:eu-north-1:',
      ':dynamodb:eu-north-1:',
      ':dynamodb:eu-north-1:',
    ]);
    expect(policies).toContain('":table/locks"');
  });

  it('is deployed after the table', () => {
    const { app, stack, locks: primary } = primaryWith(threeRegions);
    expect(secondaryOf(primary, app, { region: 'eu-west-1' }).stack.dependencies).toEqual([stack]);
  });

  it('may be one of several in its Region', () => {
    const { app, locks: primary } = primaryWith(threeRegions);
    const { stack } = secondaryOf(primary, app, { region: 'eu-west-1' });
    const blue = new LockService(stack, 'Blue', { functionCode: standInCode, ...unwatched, replicaOf: primary });
    expect(stack.resolve(blue.table.tableName)).toBe('locks');
  });

  it.each<[string, LockServiceProps]>([
    ['removalPolicy', { removalPolicy: RemovalPolicy.DESTROY }],
    ['multiRegion', { multiRegion: witnessed }],
  ])('has no %s of its own', (prop, props) => {
    const { app, locks: primary } = primaryWith(witnessed);
    expect(() => secondaryOf(primary, app, { region: 'eu-west-1' }, props)).toThrow(
      `${prop} must be left out beside replicaOf, got `,
    );
  });

  it('is none of a lock service in one Region', () => {
    const { app, locks: primary } = primaryWith(undefined);
    expect(() => secondaryOf(primary, app, { region: 'eu-west-1' })).toThrow(
      'replicaOf must be a lock service with multiRegion, got "one without".',
    );
  });

  it.each<[string, object, string]>([
    ['without a replica', { region: 'us-east-1' }, 'got "us-east-1". Name the stack\'s Region: new Stack('],
    ['that is the table’s own', { region: 'eu-central-1' }, 'got "eu-central-1". Name the stack\'s Region'],
    ['that nobody named', {}, "got a value that is only known when the stack is deployed. Name the stack's Region"],
    ['of the witness', { region: 'eu-west-3' }, 'got "eu-west-3". A witness serves no requests: leave this stack out.'],
  ])('is not made in a Region %s', (_, env, message) => {
    const { app, locks: primary } = primaryWith(witnessed);
    expect(() => secondaryOf(primary, app, env)).toThrow(
      `replicaOf needs a stack in one of the Regions of multiRegion.replicaRegions (eu-west-1), ${message}`,
    );
  });

  it('is not made in another account', () => {
    const { app, locks: primary } = primaryWith(witnessed, { account: '111111111111' });
    expect(() => secondaryOf(primary, app, { region: 'eu-west-1', account: '222222222222' })).toThrow(
      'replicaOf must be of the same account as the stack (222222222222), got "111111111111".',
    );
    const { locks: same } = primaryWith(witnessed, { app: newApp(), account: '111111111111' });
    expect(() =>
      secondaryOf(same, same.node.root as App, { region: 'eu-west-1', account: '111111111111' }),
    ).not.toThrow();
  });
});

describe('what a lock service of another Region has in common with the first', () => {
  const tokens = {
    issuer: 'https://tenant.example/',
    audience: ['locks'],
    scopes: { use: 'locks/use', read: 'locks/read', admin: 'locks/admin' },
  };
  const common = { authorization: tokens, maxLeaseMs: 60_000, lineLimit: 8 };

  function both(props: LockServiceProps, own: LockServiceProps) {
    const app = newApp();
    const stack = new Stack(app, 'Primary', { env: { region: 'eu-central-1' } });
    const service = { functionCode: standInCode, ...unwatched, multiRegion: witnessed, ...props };
    return secondaryOf(new LockService(stack, 'Locks', service), app, { region: 'eu-west-1' }, own);
  }

  it.each<[string, LockServiceProps]>([
    ['leaves it out', {}],
    ['repeats it', { ...common, authorization: { ...tokens, scopes: { ...tokens.scopes } } }],
  ])('is taken from there where the second %s', (_, own) => {
    const template = Template.fromStack(both(common, own).stack);
    template.resourceCountIs('AWS::ApiGatewayV2::Authorizer', 1);
    for (const { Properties } of Object.values(resourcesOf(template, 'AWS::Lambda::Function'))) {
      expect(Properties['Environment']).toMatchObject({
        Variables: { HOLDFAST_MAX_LEASE_MS: '60000', HOLDFAST_LINE_LIMIT: '8', HOLDFAST_AUTHORIZATION: 'jwt' },
      });
    }
  });

  it.each<[LockServiceProps, LockServiceProps, string]>([
    [common, { maxLeaseMs: 5_000 }, 'maxLeaseMs must be that of the lock service of replicaOf (60000), got 5000.'],
    [common, { lineLimit: 64 }, 'lineLimit must be that of the lock service of replicaOf (8), got 64.'],
    [{}, { lineLimit: 8 }, 'lineLimit must be that of the lock service of replicaOf (64), got 8.'],
    [common, { authorization: 'iam' }, 'authorization must be that of the lock service of replicaOf ({"issuer":'],
    [
      {},
      { authorization: tokens },
      'authorization must be that of the lock service of replicaOf ("iam"), got {"issuer":',
    ],
  ])('must not differ: %j, %j', (first, second, message) => {
    expect(() => both(first, second)).toThrow(message);
    expect(() => both(first, second)).toThrow('Leave it out here: it is taken from there.');
  });

  it.each<[unknown, string]>([
    [{}, '{}'],
    [null, 'null'],
    ['Locks', '"Locks"'],
    [new Construct(newApp(), 'Any'), 'a Construct'],
  ])('is not had of what is no lock service: %#', (replicaOf, got) => {
    const stack = new Stack(newApp(), 'Secondary', { env: { region: 'eu-west-1' } });
    const props = { functionCode: standInCode, replicaOf: replicaOf as LockService };
    expect(() => new LockService(stack, 'Locks', props)).toThrow(
      `replicaOf must be a LockService of this package, got ${got}. Give the one that has multiRegion`,
    );
  });
});

describe('the example of two Regions and a witness', () => {
  it('is a stack per Region, each with an address of its own', () => {
    const app = multiRegionApp(newApp(), { functionCode: standInCode });
    const stacks = app.node.children.filter((child): child is Stack => Stack.isStack(child));
    expect(stacks.map(({ region }) => region)).toEqual(['eu-central-1', 'eu-west-1']);
    for (const stack of stacks) {
      Template.fromStack(stack).hasOutput('Url', { Value: { 'Fn::GetAtt': ['LocksApi687198B1', 'ApiEndpoint'] } });
      Annotations.fromStack(stack).hasNoWarning('*', '.*');
    }
  });
});
