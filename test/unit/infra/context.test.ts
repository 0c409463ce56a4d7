import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RemovalPolicy } from 'aws-cdk-lib';
import { contextKeys, settingsIn } from '../../../infra/context.ts';

const certificateArn = 'arn:aws:acm:eu-west-1:111111111111:certificate/a-1';

describe('the context', () => {
  it('is read by its holdfast: keys, texts of the command line and values of cdk.json alike', () => {
    expect(
      settingsIn({
        '@aws-cdk/core:anything': true,
        'holdfast:removalPolicy': 'destroy',
        'holdfast:lineLimit': '8',
        'holdfast:maxLeaseMs': 60_000,
        'holdfast:logRetentionDays': '7',
        'holdfast:accessLogRetentionDays': 365,
        'holdfast:acquireMemoryMb': '128',
      }),
    ).toEqual({
      removalPolicy: RemovalPolicy.DESTROY,
      lineLimit: 8,
      maxLeaseMs: 60_000,
      logRetentionDays: 7,
      accessLogRetentionDays: 365,
      acquireMemoryMb: 128,
    });
  });

  it('may name a topic and a certificate', () => {
    const alarmsTopicArn = 'arn:aws-cn:sns:cn-north-1:111111111111:on_call.fifo';
    const context = { 'holdfast:alarmsTopicArn': alarmsTopicArn, 'holdfast:domainName': 'a.example' };
    expect(settingsIn({ ...context, 'holdfast:certificateArn': certificateArn })).toEqual({
      alarmsTopicArn,
      domainName: 'a.example',
      certificateArn,
    });
  });

  it('need not say anything', () => {
    expect(settingsIn({})).toEqual({});
  });

  it('may list with commas or as a list', () => {
    const rest = { 'holdfast:region': 'eu-central-1', 'holdfast:tableName': 'locks' };
    const replicaRegions = ['eu-west-1', 'eu-north-1'];
    expect(settingsIn({ ...rest, 'holdfast:replicaRegions': 'eu-west-1, eu-north-1' })).toMatchObject({
      replicaRegions,
    });
    expect(settingsIn({ ...rest, 'holdfast:replicaRegions': replicaRegions })).toMatchObject({ replicaRegions });
  });

  it.each([
    'Holdfast:maxLeaseMs',
    'holdfast:MaxLeaseMs',
    'holdfast.maxLeaseMs',
    'holdfast/maxLeaseMs',
    'holdfast-max-lease-ms',
    'HOLDFAST_MAX_LEASE_MS',
    'holdfastMaxLeaseMs',
    ' holdfast:maxLeaseMs',
  ])('is refused for the key %j, with its right spelling', (key) => {
    const message = `There is no context key ${key}, but holdfast:maxLeaseMs. Write it like that.`;
    expect(() => settingsIn({ [key]: '60000' })).toThrow(message);
    expect(() => settingsIn({ 'holdfast:maxLeaseMs': '60000', [key]: '60000' })).toThrow(message);
  });

  it.each(['maxLeaseMs', 'other:maxLeaseMs', 'holdfast', 'Holdfast:color', '@aws-cdk/core:region'])(
    'may have keys of others, such as %s',
    (key) => {
      expect(settingsIn({ [key]: 'x' })).toEqual({});
    },
  );

  it.each(['holdfast:waitingLimit', 'holdfast:', 'holdfast:toString'])(
    'is refused for the key %s, with the keys that there are',
    (key) => {
      expect(() => settingsIn({ [key]: '8' })).toThrow(
        `There is no context key ${key}. Known are: ${contextKeys.join(', ')}.`,
      );
    },
  );

  it.each<[string, unknown, string]>([
    ['holdfast:removalPolicy', 'snapshot', 'must be one of retain, destroy, got "snapshot".'],
    ['holdfast:lineLimit', '65', 'must be a whole number from 1 to 64, got "65".'],
    ['holdfast:lineLimit', '0', 'must be a whole number from 1 to 64, got "0".'],
    ['holdfast:lineLimit', '8.5', 'must be a whole number from 1 to 64, got "8.5".'],
    ['holdfast:lineLimit', '', 'must be a whole number from 1 to 64, got "".'],
    ['holdfast:maxLeaseMs', '1h', 'must be a whole number from 1000 to 86400000, got "1h".'],
    ['holdfast:logRetentionDays', '2', 'must be one of 1, 3, 5, 7,'],
    ['holdfast:accessLogRetentionDays', '9999', 'must be one of 1, 3, 5, 7,'],
    ['holdfast:leaseMemoryMb', '64', 'must be a whole number from 128 to 10240, got "64".'],
    ['holdfast:accountConcurrency', '9', 'must be a whole number from 10 to 1000000, got "9".'],
    ['holdfast:leaseReservedConcurrency', '1', 'must be a whole number from 2 to 1000000, got "1".'],
    ['holdfast:adminReservedConcurrency', '0', 'must be a whole number from 1 to 1000000, got "0".'],
    ['holdfast:alarms', 'yes', 'must be one of on, off, got "yes".'],
    ['holdfast:jwtIssuer', '', 'must be some text, got "".'],
    ['holdfast:alarmsTopicArn', 'on-call', 'must be the ARN of a topic (arn:aws:sns:REGION:ACCOUNT:…), got "on-call".'],
    ['holdfast:alarmsTopicArn', 'arn:aws:sqs:eu-west-1:111111111111:q', 'must be the ARN of a topic'],
    ['holdfast:alarmsTopicArn', 'arn:aws:sns:eu-west-1:1:t', 'must be the ARN of a topic'],
    ['holdfast:alarmsTopicArn', 'arn:aws:sns::111111111111:t', 'must be the ARN of a topic'],
    ['holdfast:alarmsTopicArn', 'arn:aws:sns:eu-west-1:111111111111:t:subscription', 'must be the ARN of a topic'],
    ['holdfast:certificateArn', 'arn', 'must be the ARN of a certificate (arn:aws:acm:REGION:ACCOUNT:…), got "arn".'],
    ['holdfast:jwtAudience', 'a,,b', 'must be one or more, with commas between them, got "a,,b".'],
  ])('%s cannot be %j', (key, value, message) => {
    expect(() => settingsIn({ [key]: value })).toThrow(`${key} ${message}`);
  });

  it.each<[Record<string, string>, string]>([
    [
      { 'holdfast:jwtIssuer': 'https://a', 'holdfast:jwtAudience': 'b' },
      'holdfast:jwtIssuer, holdfast:jwtAudience also needs holdfast:jwtUseScope, holdfast:jwtReadScope, holdfast:jwtAdminScope.',
    ],
    [{ 'holdfast:domainName': 'a.example' }, 'holdfast:domainName also needs holdfast:certificateArn.'],
    [
      { 'holdfast:domainName': 'a.example', 'holdfast:certificateArn': certificateArn, 'holdfast:hostedZoneId': 'Z' },
      'holdfast:hostedZoneId also needs holdfast:hostedZoneName.',
    ],
    [{ 'holdfast:region': 'eu-west-1' }, 'holdfast:region also needs holdfast:replicaRegions, holdfast:tableName.'],
    [
      { 'holdfast:witnessRegion': 'eu-west-1' },
      'holdfast:witnessRegion also needs holdfast:region, holdfast:replicaRegions, holdfast:tableName.',
    ],
  ])('is refused where a key stands without those that it needs: %j', (context, message) => {
    expect(() => settingsIn(context)).toThrow(`${message} Set those, too, or leave these out.`);
  });

  it.each(contextKeys)('key %s is documented', (key) => {
    const readme = readFileSync(join(__dirname, '../../../infra/README.md'), 'utf8');
    expect(readme).toContain(`\`${key}\``);
  });
});
