import { Template } from 'aws-cdk-lib/assertions';
import { settingsIn } from '../../../infra/context.ts';
import { readyStacks } from '../../../infra/ready-stacks.ts';
import { newApp, resourcesOf, standInCode, synthesize } from './synthesized.ts';

function stacksOf(context: Record<string, unknown>) {
  const app = newApp();
  return readyStacks(app, settingsIn(context), { account: '111111111111', functionCode: standInCode });
}

describe('the stacks that this repository deploys', () => {
  it('are the default stack where the context says nothing', () => {
    const stacks = stacksOf({});
    expect(stacks.map(({ stackName }) => stackName)).toEqual(['Holdfast']);
    expect(stacks.map((stack) => Template.fromStack(stack).toJSON())).toEqual([synthesize().template.toJSON()]);
  });

  it('are as the context says', () => {
    const [stack] = stacksOf({
      'holdfast:removalPolicy': 'destroy',
      'holdfast:lineLimit': '8',
      'holdfast:maxLeaseMs': '60000',
      'holdfast:logRetentionDays': '3',
      'holdfast:accessLogRetentionDays': '5',
      'holdfast:acquireMemoryMb': '129',
      'holdfast:leaseMemoryMb': '512',
      'holdfast:adminMemoryMb': '130',
    });
    if (!stack) throw new Error('no stack');
    const template = Template.fromStack(stack);
    template.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Delete' });
    const functions = Object.values(resourcesOf(template, 'AWS::Lambda::Function')).map(({ Properties }) => Properties);
    expect(functions.map(({ MemorySize }) => MemorySize).sort()).toEqual([129, 130, 512]);
    for (const { Environment } of functions) {
      expect(Environment).toMatchObject({ Variables: { HOLDFAST_LINE_LIMIT: '8', HOLDFAST_MAX_LEASE_MS: '60000' } });
    }
    const days = Object.values(resourcesOf(template, 'AWS::Logs::LogGroup')).map(
      ({ Properties }) => Properties['RetentionInDays'],
    );
    expect(days.sort()).toEqual([3, 3, 3, 5]);
  });

  it('set slots aside, and alarm, as the context says', () => {
    const alarmsTopicArn = 'arn:aws:sns:eu-central-1:111111111111:on-call';
    const [stack] = stacksOf({
      'holdfast:accountConcurrency': '2000',
      'holdfast:acquireReservedConcurrency': '200',
      'holdfast:leaseReservedConcurrency': '40',
      'holdfast:adminReservedConcurrency': '5',
      'holdfast:alarmsTopicArn': alarmsTopicArn,
      'holdfast:dashboard': 'off',
    });
    if (!stack) throw new Error('no stack');
    const template = Template.fromStack(stack);
    const slots = Object.values(resourcesOf(template, 'AWS::Lambda::Function')).map(
      ({ Properties }) => Properties['ReservedConcurrentExecutions'],
    );
    expect(slots.sort()).toEqual([200, 40, 5]);
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
    const alarms = Object.values(resourcesOf(template, 'AWS::CloudWatch::Alarm'));
    expect(alarms.length).toBeGreaterThan(20);
    for (const { Properties } of alarms) expect(Properties['AlarmActions']).toEqual([alarmsTopicArn]);
  });

  it('have no alarms where the context says so', () => {
    const [stack] = stacksOf({ 'holdfast:alarms': 'off' });
    if (!stack) throw new Error('no stack');
    Template.fromStack(stack).resourceCountIs('AWS::CloudWatch::Alarm', 0);
  });

  it('authorize by token where the context names an issuer', () => {
    const [stack] = stacksOf({
      'holdfast:jwtIssuer': 'https://tenant.example/',
      'holdfast:jwtAudience': 'one,two',
      'holdfast:jwtUseScope': 'use',
      'holdfast:jwtReadScope': 'read',
      'holdfast:jwtAdminScope': 'admin',
    });
    if (!stack) throw new Error('no stack');
    Template.fromStack(stack).hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
      JwtConfiguration: { Issuer: 'https://tenant.example/', Audience: ['one', 'two'] },
    });
  });

  it('have the domain name that the context names, and say so', () => {
    const [stack] = stacksOf({
      'holdfast:domainName': 'locks.example.com',
      'holdfast:certificateArn': 'arn:aws:acm:eu-central-1:111111111111:certificate/abc',
      'holdfast:hostedZoneId': 'Z1',
      'holdfast:hostedZoneName': 'example.com',
    });
    if (!stack) throw new Error('no stack');
    const template = Template.fromStack(stack);
    template.hasOutput('ApiUrl', { Value: 'https://locks.example.com' });
    template.hasResourceProperties('AWS::Route53::RecordSet', { Name: 'locks.example.com.', HostedZoneId: 'Z1' });
  });

  const severalRegions = {
    'holdfast:region': 'eu-central-1',
    'holdfast:replicaRegions': 'eu-west-1',
    'holdfast:witnessRegion': 'eu-west-3',
    'holdfast:tableName': 'locks',
  };

  it('are one per Region that serves, where the context names several', () => {
    const stacks = stacksOf({ ...severalRegions, 'holdfast:lineLimit': '8', 'holdfast:removalPolicy': 'retain' });
    expect(stacks.map(({ stackName, region, account }) => [stackName, region, account])).toEqual([
      ['Holdfast', 'eu-central-1', '111111111111'],
      ['Holdfast-eu-west-1', 'eu-west-1', '111111111111'],
    ]);
    for (const stack of stacks) {
      const template = Template.fromStack(stack);
      template.hasOutput('ApiUrl', { Value: { 'Fn::GetAtt': ['LocksApi687198B1', 'ApiEndpoint'] } });
      for (const { Properties } of Object.values(resourcesOf(template, 'AWS::Lambda::Function'))) {
        expect(Properties['Environment']).toMatchObject({ Variables: { HOLDFAST_LINE_LIMIT: '8' } });
      }
    }
  });

  it('do not share one domain name', () => {
    const domain = {
      'holdfast:domainName': 'locks.example.com',
      'holdfast:certificateArn': 'arn:aws:acm:eu-central-1:111111111111:certificate/abc',
    };
    expect(() => stacksOf({ ...severalRegions, ...domain })).toThrow(
      'holdfast:domainName goes with one Region only, got holdfast:replicaRegions beside it',
    );
  });

  it('do not share one topic, which only alarms of its own Region could notify', () => {
    const topic = { 'holdfast:alarmsTopicArn': 'arn:aws:sns:eu-central-1:111111111111:on-call' };
    expect(() => stacksOf({ ...severalRegions, ...topic })).toThrow(
      'holdfast:alarmsTopicArn goes with one Region only, for alarms notify topics of their own Region, got "arn:aws:sns:' +
        'eu-central-1:111111111111:on-call beside holdfast:replicaRegions". Leave it out, or write an app',
    );
  });
});
