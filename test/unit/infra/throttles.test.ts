import { App, Stack } from 'aws-cdk-lib';
import { CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { concurrencyOf } from '../../../infra/concurrency.ts';
import type { HoldfastStackProps } from '../../../infra/stack.ts';
import { throttleRoutes, throttlesOf } from '../../../infra/throttles.ts';
import { defaultThrottles } from '../../../lambda/throttles.ts';
import { type Operation, routeKey, routes } from '../../../sdk/wire/routes.ts';
import { resourcesOf, synthesize } from './synthesized.ts';

interface RouteSettings {
  readonly DetailedMetricsEnabled: boolean;
  readonly ThrottlingRateLimit: number;
  readonly ThrottlingBurstLimit: number;
}

function stageOf(props?: HoldfastStackProps) {
  const { template } = synthesize(props);
  const [stage] = Object.values(resourcesOf(template, 'AWS::ApiGatewayV2::Stage'));
  const settings = stage?.Properties['RouteSettings'] as Record<string, RouteSettings>;
  const of = (operation: Operation) => {
    const { ThrottlingRateLimit, ThrottlingBurstLimit } = settings[routeKey(routes[operation])] as RouteSettings;
    return { requestsPerSecond: ThrottlingRateLimit, burst: ThrottlingBurstLimit };
  };
  return { template, stage, settings, of };
}

describe('the stage', () => {
  it('throttles every route, each with all settings, since none is taken over from the defaults', () => {
    const { settings } = stageOf();
    const throttles = defaultThrottles({ account: 1_000, reserved: {} });
    expect(settings).toEqual(
      Object.fromEntries(
        Object.values(routes).map((route) => [
          routeKey(route),
          {
            DetailedMetricsEnabled: false,
            ThrottlingRateLimit: throttles[route.operation].requestsPerSecond,
            ThrottlingBurstLimit: throttles[route.operation].burst,
          },
        ]),
      ),
    );
  });

  it('is made after the routes that it has settings for', () => {
    const { template, stage } = stageOf();
    const routeIds = Object.keys(resourcesOf(template, 'AWS::ApiGatewayV2::Route'));
    expect(routeIds).toHaveLength(Object.keys(routes).length);
    expect((stage as unknown as { DependsOn: string[] }).DependsOn).toEqual(expect.arrayContaining(routeIds));
  });

  it.each([true, false])('repeats for each route whether there are detailed metrics: %s', (detailedMetricsEnabled) => {
    const stage = new CfnStage(new Stack(new App(), 'Mine'), 'Stage', {
      apiId: 'api',
      stageName: '$default',
      defaultRouteSettings: { detailedMetricsEnabled },
    });
    throttleRoutes(stage, [], defaultThrottles({ account: 1_000, reserved: {} }));
    const settings: RouteSettings[] = Object.values(stage.routeSettings);
    expect(settings.map((each) => each.DetailedMetricsEnabled)).toEqual(settings.map(() => detailedMetricsEnabled));
  });

  it('takes a throttle that is given, and the defaults for the rest', () => {
    const { of } = stageOf({ throttles: { acquire: { requestsPerSecond: 0.5, burst: 3 } } });
    expect(of('acquire')).toEqual({ requestsPerSecond: 0.5, burst: 3 });
    expect(of('try')).toEqual({ requestsPerSecond: 1_000, burst: 250 });
  });

  it('goes by the quota of the account and by what is reserved', () => {
    expect(stageOf({ accountConcurrency: 10 }).of('acquire')).toEqual({ requestsPerSecond: 0.2, burst: 1 });
    const { of } = stageOf({ reservedConcurrency: { acquire: 60, lease: 40 } });
    expect(of('acquire')).toEqual({ requestsPerSecond: 300, burst: 60 });
    expect(of('try')).toEqual({ requestsPerSecond: 200, burst: 10 });
  });
});

const accepted: Array<[string, HoldfastStackProps]> = [
  ['the most that an account takes', { throttles: { renew: { requestsPerSecond: 10_000, burst: 5_000 } } }],
  ['the least', { throttles: { list: { requestsPerSecond: 0.01, burst: 1 } } }],
  ['waits in half of the slots', { throttles: { acquire: { requestsPerSecond: 20, burst: 100 } } }],
  [
    'more waits where renewals have slots of their own',
    { throttles: { acquire: { requestsPerSecond: 40, burst: 100 } }, reservedConcurrency: { lease: 20 } },
  ],
  [
    'more waits where waits have slots of their own',
    { throttles: { acquire: { requestsPerSecond: 40, burst: 100 } }, reservedConcurrency: { acquire: 20 } },
  ],
  [
    'more waits in a larger account',
    { throttles: { acquire: { requestsPerSecond: 40, burst: 100 } }, accountConcurrency: 1_800 },
  ],
  [
    'attempts in half of what the slots for renewals do',
    { throttles: { try: { requestsPerSecond: 100, burst: 19 } }, reservedConcurrency: { lease: 20 } },
  ],
  ['renewals at the pace of waits', { throttles: { renew: { requestsPerSecond: 20, burst: 100 } } }],
  ['releases at the pace of waits', { throttles: { release: { requestsPerSecond: 20, burst: 100 } } }],
];

const refused: Array<[HoldfastStackProps, RegExp]> = [
  [
    { throttles: { renew: { requestsPerSecond: 10_001, burst: 10 } } },
    /^throttles\.renew\.requestsPerSecond must be above 0 and at most 10000, the quota of an account, got 10001$/,
  ],
  [{ throttles: { try: { requestsPerSecond: 0, burst: 10 } } }, /^throttles\.try\.requestsPerSecond .*, got 0$/],
  [
    { throttles: { try: { requestsPerSecond: Number.NaN, burst: 10 } } },
    /^throttles\.try\.requestsPerSecond .*, got NaN$/,
  ],
  [
    { throttles: { try: { requestsPerSecond: 1, burst: 0 } } },
    /^throttles\.try\.burst must be a whole number from 1 to 5000, the quota of an account, got 0$/,
  ],
  [{ throttles: { try: { requestsPerSecond: 1, burst: 1.5 } } }, /^throttles\.try\.burst .*, got 1\.5$/],
  [{ throttles: { renew: { requestsPerSecond: 1, burst: 5_001 } } }, /^throttles\.renew\.burst .*, got 5001$/],
  [
    { throttles: { lock: { requestsPerSecond: 1, burst: 1 } } as HoldfastStackProps['throttles'] & object },
    /^throttles must be for try, acquire, .*, got one for "lock"$/,
  ],
  [
    { throttles: { toString: { requestsPerSecond: 1, burst: 1 } } as HoldfastStackProps['throttles'] & object },
    /got one for "toString"$/,
  ],
  [
    { throttles: { acquire: { requestsPerSecond: 20, burst: 101 } } },
    /^throttles\.acquire lets 501 requests wait at once \(101, and 20 a second for up to 20 s each\), which could keep renewals and releases from running: at most 500 may, half of accountConcurrency\. Lower it, set reservedConcurrency\.lease, or set accountConcurrency /,
  ],
  [
    { throttles: { acquire: { requestsPerSecond: 20, burst: 100 } }, reservedConcurrency: { admin: 10 } },
    /^throttles\.acquire lets 500 requests wait at once .*: at most 495 may/,
  ],
  [
    { throttles: { try: { requestsPerSecond: 101, burst: 1 } }, reservedConcurrency: { lease: 20 } },
    /^throttles\.try takes 101 requests a second and 1 at once, .* the same 20 slots: at most 100 a second, and fewer than 20 at once/,
  ],
  [
    { throttles: { try: { requestsPerSecond: 1, burst: 20 } }, reservedConcurrency: { lease: 20 } },
    /^throttles\.try takes 1 requests a second and 20 at once/,
  ],
  [
    { throttles: { renew: { requestsPerSecond: 19, burst: 100 } } },
    /^throttles\.renew\.requestsPerSecond must be at least that of acquire, 20, got 19: /,
  ],
  [
    { throttles: { release: { requestsPerSecond: 19, burst: 100 } } },
    /^throttles\.release\.requestsPerSecond must be at least that of acquire, 20, got 19: /,
  ],
];

const checked = (props: HoldfastStackProps) => throttlesOf(props, concurrencyOf(props));

describe('throttles', () => {
  it.each(accepted)('may be %s', (_what, props) => {
    expect(checked(props)).toMatchObject(props.throttles ?? {});
  });

  it.each(refused)('may not be %j', (props, message) => {
    expect(() => checked(props)).toThrow(message);
  });

  it('are checked at synthesis', () => {
    expect(() => synthesize({ throttles: { acquire: { requestsPerSecond: 50, burst: 100 } } })).toThrow(
      /lets 1100 requests/,
    );
  });
});
