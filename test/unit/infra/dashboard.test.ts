import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { LockService, type LockServiceProps } from '../../../infra/lock-service.ts';
import { countedOperations } from '../../../lambda/names.ts';
import { routeKey, routes } from '../../../sdk/wire/routes.ts';
import { newApp, resourcesOf, standInCode } from './synthesized.ts';

function synthesizeWith(props: LockServiceProps) {
  const stack = new Stack(newApp(), 'Mine', { env: { account: '111111111111', region: 'eu-central-1' } });
  new LockService(stack, 'Locks', { functionCode: standInCode, ...props });
  const template = Template.fromStack(stack);
  return { template, dashboards: Object.values(resourcesOf(template, 'AWS::CloudWatch::Dashboard')) };
}

interface Widget {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: { title: string; metrics?: unknown[][]; alarms?: unknown[] };
}

/** The body of a dashboard; what it refers to stands there as `<logical id>`. */
function widgetsOf(body: unknown): Widget[] {
  const parts = (body as { 'Fn::Join': [string, unknown[]] })['Fn::Join'][1];
  const reference = (part: { Ref?: string; 'Fn::GetAtt'?: [string] }) => `<${part.Ref ?? part['Fn::GetAtt']?.[0]}>`;
  const text = parts.map((part) => (typeof part === 'string' ? part : reference(part as object)));
  return JSON.parse(text.join('')).widgets;
}

const { template, dashboards } = synthesizeWith({});
const widgets = widgetsOf(dashboards[0]?.Properties['DashboardBody']);
const shown = JSON.stringify(widgets);

describe('the dashboard', () => {
  it('is one, named after the lock service and its Region', () => {
    expect(dashboards).toHaveLength(1);
    expect(dashboards[0]?.Properties['DashboardName']).toMatch(/^Mine-Locks-\w+-eu-central-1$/);
  });

  it('begins with every alarm', () => {
    expect(widgets[0]).toMatchObject({ type: 'alarm', y: 0 });
    const ids = Object.keys(resourcesOf(template, 'AWS::CloudWatch::Alarm'));
    expect(widgets[0]?.properties.alarms).toEqual(ids.map((id) => `<${id}>`));
  });

  it('shows each route: requests, failures, throttles, latency', () => {
    const titled = (title: string) => JSON.stringify(widgets.find(({ properties }) => properties.title === title));
    for (const route of Object.values(routes)) {
      const key = JSON.stringify(routeKey(route));
      expect(titled('Requests by route')).toContain(key);
      expect(titled('Answers of 5xx by route')).toContain(key);
      expect(titled('Answers of 429 by route')).toContain(key);
      expect(shown).toMatch(new RegExp(`"RouteLatency",[^[]*${key.replace(/[{}]/g, '\\$&')}[^[]*"p99"`));
    }
  });

  it('shows everything that the functions count', () => {
    for (const [name, operations] of Object.entries(countedOperations)) {
      for (const operation of operations) {
        expect(shown).toMatch(new RegExp(`"Holdfast","${name}","operation","${operation}","service","Mine-Locks-`));
      }
    }
  });

  it('shows the functions and the table', () => {
    for (const name of ['Errors', 'Throttles', 'ConcurrentExecutions', 'Duration']) {
      expect(shown.split(`"AWS/Lambda","${name}"`)).toHaveLength(1 + 3);
    }
    for (const name of [
      'ConsumedReadCapacityUnits',
      'ConsumedWriteCapacityUnits',
      'ReadThrottleEvents',
      'WriteThrottleEvents',
      'SuccessfulRequestLatency',
    ]) {
      expect(shown).toContain(`"AWS/DynamoDB","${name}"`);
    }
  });

  it('has rows that fill the page, and a title over each graph', () => {
    const rows = [...new Set(widgets.map(({ y }) => y))];
    expect(rows).toHaveLength(6);
    for (const row of rows) {
      expect(widgets.filter(({ y }) => y === row).reduce((sum, { width }) => sum + width, 0)).toBe(24);
    }
    for (const { properties } of widgets) expect(properties.title).toMatch(/\w/);
  });

  it('can be left out, and so can the alarms on it', () => {
    expect(synthesizeWith({ dashboard: false }).dashboards).toEqual([]);
    const withoutAlarms = synthesizeWith({ alarms: false }).dashboards[0]?.Properties['DashboardBody'];
    expect(widgetsOf(withoutAlarms).map(({ type }) => type)).not.toContain('alarm');
  });
});
