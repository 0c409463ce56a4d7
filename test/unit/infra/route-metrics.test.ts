import { accessLogFields, accessLogNumbers } from '../../../infra/access-log.ts';
import { resourcesOf, synthesize } from './synthesized.ts';

interface Transformation {
  readonly MetricName: string;
  readonly MetricNamespace: string;
  readonly MetricValue: string;
  readonly Unit?: string;
  readonly Dimensions: { Key: string; Value: string }[];
}

const { template } = synthesize();
const filters = Object.values(resourcesOf(template, 'AWS::Logs::MetricFilter')).map(({ Properties }) => ({
  pattern: String(Properties['FilterPattern']),
  logGroup: Properties['LogGroupName'],
  transformation: (Properties['MetricTransformations'] as [Transformation])[0],
}));

describe('the metrics of the routes', () => {
  it('are made of the access log, under the API and the route that was asked for', () => {
    const [accessLog] = Object.entries(resourcesOf(template, 'AWS::Logs::LogGroup')).flatMap(([id, { Properties }]) =>
      Properties['LogGroupName'] ? [id] : [],
    );
    expect(filters).toHaveLength(3);
    for (const { logGroup, transformation } of filters) {
      expect(logGroup).toEqual({ Ref: accessLog });
      expect(transformation).toMatchObject({
        MetricNamespace: 'Holdfast',
        Dimensions: [
          { Key: 'ApiId', Value: '$.apiId' },
          { Key: 'Route', Value: '$.routeKey' },
        ],
      });
    }
  });

  it('are latency in milliseconds, answers of 5xx, and answers of 429', () => {
    const routed = '($.apiId = "*") && ($.routeKey != "-")';
    expect(
      filters.map(({ pattern, transformation: { MetricName, MetricValue, Unit } }) => ({
        pattern,
        MetricName,
        MetricValue,
        Unit,
      })),
    ).toEqual([
      {
        pattern: `{ ${routed} && ($.responseLatencyMs >= 0) }`,
        MetricName: 'RouteLatency',
        MetricValue: '$.responseLatencyMs',
        Unit: 'Milliseconds',
      },
      { pattern: `{ ${routed} && ($.status >= 500) }`, MetricName: 'RouteFailures', MetricValue: '1', Unit: undefined },
      { pattern: `{ ${routed} && ($.status = 429) }`, MetricName: 'RouteThrottles', MetricValue: '1', Unit: undefined },
    ]);
  });

  it('compare as numbers only what the log has as numbers, and name no field that it has not', () => {
    for (const { pattern, transformation } of filters) {
      const named = [...pattern.matchAll(/\$\.(\w+) (=|!=|>=) (\S+)\)/g)].map(([, field = '', , value = '']) => ({
        field,
        isNumber: /^\d/.test(value),
      }));
      expect(named).toHaveLength(3);
      for (const { field, isNumber } of named)
        expect(isNumber ? accessLogNumbers : accessLogFields).toHaveProperty(field);
      for (const { Value } of transformation.Dimensions)
        expect(accessLogFields).toHaveProperty(Value.replace('$.', ''));
    }
  });
});
