import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { LockService, type LockServiceProps } from '../../../infra/lock-service.ts';
import { countedOperations, type MetricName } from '../../../lambda/names.ts';
import { type Operation, routeKey, routes } from '../../../sdk/wire/routes.ts';
import { newApp, resourcesOf, standInCode, synthesize } from './synthesized.ts';

interface Watched {
  readonly name: string;
  readonly namespace: string;
  readonly statistic: string;
  readonly periodSeconds: number;
  readonly dimensions: Readonly<Record<string, unknown>>;
}

interface MetricStat {
  readonly Metric: { MetricName: string; Namespace: string; Dimensions: { Name: string; Value: unknown }[] };
  readonly Stat: string;
  readonly Period: number;
}

interface Query {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: MetricStat;
}

const dimensionsOf = (dimensions: readonly { Name: string; Value: unknown }[]) =>
  Object.fromEntries(dimensions.map(({ Name, Value }) => [Name, Value]));

/** The metrics that an alarm watches, whichever of the two ways it names them in. */
function watchedBy(properties: Record<string, unknown>): Watched[] {
  const queries = properties['Metrics'] as Query[] | undefined;
  if (!queries) {
    const { MetricName, Namespace, Statistic, Period, Dimensions } = properties;
    return [
      {
        name: String(MetricName),
        namespace: String(Namespace),
        statistic: String(Statistic),
        periodSeconds: Number(Period),
        dimensions: dimensionsOf(Dimensions as never),
      },
    ];
  }
  return queries.flatMap(({ MetricStat: stat }) =>
    stat
      ? [
          {
            name: stat.Metric.MetricName,
            namespace: stat.Metric.Namespace,
            statistic: stat.Stat,
            periodSeconds: stat.Period,
            dimensions: dimensionsOf(stat.Metric.Dimensions),
          },
        ]
      : [],
  );
}

const { template } = synthesize();
const alarms = Object.values(resourcesOf(template, 'AWS::CloudWatch::Alarm')).map(({ Properties }) => ({
  properties: Properties,
  watched: watchedBy(Properties),
}));
const service = 'Holdfast-Locks-23B4750D';
const ApiId = { Ref: 'LocksApi687198B1' };
const TableName = { Ref: 'LocksTable84FB9352' };
const operations = Object.keys(routes) as Operation[];

/** The alarm that watches these metrics and no others. */
function alarmOn(name: string, ...dimensions: Readonly<Record<string, unknown>>[]) {
  const found = alarms.filter(
    ({ watched }) =>
      watched.every((each) => each.name === name) &&
      JSON.stringify(watched.map((each) => Object.entries(each.dimensions).sort())) ===
        JSON.stringify(dimensions.map((each) => Object.entries(each).sort())),
  );
  expect(found).toHaveLength(1);
  return found[0]?.properties;
}

describe('there is an alarm', () => {
  it.each(operations)('on failures of the route of %s', (operation) => {
    const alarm = alarmOn('RouteFailures', { ApiId, Route: routeKey(routes[operation]) });
    expect(alarm).toMatchObject({ Threshold: 5, EvaluationPeriods: 1 });
  });

  it.each(['try', 'renew', 'release'] as const)('on the latency of %s, unless requests are too few', (operation) => {
    const alarm = alarmOn('RouteLatency', { ApiId, Route: routeKey(routes[operation]) });
    expect(alarm).toMatchObject({
      Threshold: 1_000,
      EvaluationPeriods: 3,
      EvaluateLowSampleCountPercentile: 'ignore',
      Metrics: [{ MetricStat: { Stat: 'p99' } }],
    });
  });

  it('on the latency of no other route: that of acquire is the wait itself', () => {
    expect(alarms.filter(({ watched }) => watched.some(({ name }) => name === 'RouteLatency'))).toHaveLength(3);
  });

  it.each(['renew', 'release'] as const)('on throttled requests to %s', (operation) => {
    alarmOn('RouteThrottles', { ApiId, Route: routeKey(routes[operation]) });
  });

  it.each(['LocksAcquireF90405C5', 'LocksLease2D504116', 'LocksAdmin4F47A557'])(
    'on errors and throttles of the function %s',
    (Ref) => {
      expect(alarmOn('Errors', { FunctionName: { Ref } })).toMatchObject({ Threshold: 1, Namespace: 'AWS/Lambda' });
      expect(alarmOn('Throttles', { FunctionName: { Ref } })).toMatchObject({ Namespace: 'AWS/Lambda' });
    },
  );

  it('on lost leases that renewals found, not those that releases did', () => {
    alarmOn('LeasesLost', { service, operation: 'renew' });
  });

  it.each(['StoreUnavailable', 'InternalErrors', 'FullLines'] as const)(
    'on the sum of %s over the operations of which it is counted',
    (name) => {
      const dimensions = countedOperations[name].map((operation) => ({ service, operation }));
      const queries = alarmOn(name, ...dimensions)?.['Metrics'] as Query[];
      const summed = queries.flatMap(({ Id, MetricStat: stat }) => (stat ? [Id] : []));
      const [expression] = queries.flatMap((query) => query.Expression ?? []);
      // A `+` of metrics of which one has no data has none.
      expect(expression).toBe(summed.length > 1 ? `SUM([${summed.join(',')}])` : undefined);
    },
  );

  it('on throttles of the table, and on its errors', () => {
    alarmOn('ReadThrottleEvents', { TableName });
    alarmOn('WriteThrottleEvents', { TableName });
    alarmOn('SystemErrors', ...['GetItem', 'UpdateItem', 'Scan'].map((Operation) => ({ TableName, Operation })));
  });
});

describe('every alarm', () => {
  it('is not in alarm for want of data, and says what it means', () => {
    expect(alarms.length).toBeGreaterThan(20);
    for (const { properties } of alarms) {
      expect(properties).toMatchObject({
        TreatMissingData: 'notBreaching',
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        AlarmDescription: expect.stringMatching(/^.{50,}/),
      });
    }
  });

  it('watches a metric that somebody emits under these dimensions', () => {
    const emitters: Readonly<Record<string, (watched: Watched) => void>> = {
      'AWS/Lambda': ({ name, dimensions }) => {
        expect(['Errors', 'Throttles']).toContain(name);
        expect(Object.keys(dimensions)).toEqual(['FunctionName']);
      },
      // Throttles are counted by table, errors by operation alone.
      'AWS/DynamoDB': ({ name, dimensions }) => {
        const expected = name === 'SystemErrors' ? ['Operation', 'TableName'] : ['TableName'];
        expect(Object.keys(dimensions).sort()).toEqual(expected);
      },
      Holdfast: ({ name, dimensions }) => {
        if (name.startsWith('Route')) {
          const [filter] = Object.values(resourcesOf(template, 'AWS::Logs::MetricFilter')).filter(
            ({ Properties }) =>
              (Properties['MetricTransformations'] as [{ MetricName: string }])[0].MetricName === name,
          );
          expect(filter).toBeDefined();
          expect(Object.keys(dimensions).sort()).toEqual(['ApiId', 'Route']);
        } else {
          expect(Object.keys(dimensions).sort()).toEqual(['operation', 'service']);
          expect(countedOperations[name as MetricName]).toContain(dimensions['operation']);
        }
      },
    };
    for (const { watched } of alarms) for (const each of watched) emitters[each.namespace]?.(each);
    const namespaces = new Set(alarms.flatMap(({ watched }) => watched.map(({ namespace }) => namespace)));
    expect([...namespaces].sort()).toEqual(Object.keys(emitters).sort());
  });

  it('looks at five minutes at a time', () => {
    const periods = alarms.flatMap(({ watched }) => watched.map(({ periodSeconds }) => periodSeconds));
    expect(new Set(periods)).toEqual(new Set([300]));
  });
});

describe('who is notified', () => {
  function alarmsOf(props: (stack: Stack) => LockServiceProps) {
    const stack = new Stack(newApp(), 'Mine');
    new LockService(stack, 'Locks', { functionCode: standInCode, ...props(stack) });
    return Object.values(resourcesOf(Template.fromStack(stack), 'AWS::CloudWatch::Alarm'));
  }

  it('is nobody unless a topic is given', () => {
    for (const { properties } of alarms) {
      expect(properties).not.toHaveProperty('AlarmActions');
      expect(properties).not.toHaveProperty('OKActions');
    }
  });

  it('is the topic, when an alarm goes off and when it is over', () => {
    const notified = alarmsOf((stack) => ({ alarmsTopic: new Topic(stack, 'Alarms') }));
    expect(notified).toHaveLength(alarms.length);
    for (const { Properties } of notified) {
      const topic = [{ Ref: expect.stringMatching(/^Alarms/) }];
      expect(Properties).toMatchObject({ AlarmActions: topic, OKActions: topic });
    }
  });

  it('is a question only when there are alarms', () => {
    expect(alarmsOf(() => ({ alarms: false }))).toEqual([]);
    expect(() => alarmsOf((stack) => ({ alarms: false, alarmsTopic: new Topic(stack, 'Alarms') }))).toThrow(
      'alarms must be true beside alarmsTopic, got false',
    );
  });

  it('notify a topic of their own Region only, as far as that is known', () => {
    const made = (env: object, topicOf: (stack: Stack, there: Stack) => ITopic) => () => {
      const app = newApp();
      const there = new Stack(app, 'There', { env: { region: 'us-east-1' } });
      const stack = new Stack(app, 'Mine', { env });
      return new LockService(stack, 'Locks', { functionCode: standInCode, alarmsTopic: topicOf(stack, there) });
    };
    const imported = (stack: Stack) => Topic.fromTopicArn(stack, 'T', 'arn:aws:sns:us-east-1:111111111111:on-call');
    const here = { region: 'eu-central-1' };
    expect(made(here, imported)).toThrow(
      'alarmsTopic must be of the stack\'s Region (eu-central-1), got "arn:aws:sns:us-east-1:111111111111:on-call". Give',
    );
    expect(made(here, (_, there) => new Topic(there, 'T'))).toThrow(
      'alarmsTopic must be of the stack\'s Region (eu-central-1), got "us-east-1".',
    );
    expect(made({ region: 'us-east-1' }, imported)).not.toThrow();
    expect(made({}, imported)).not.toThrow();
  });
});
