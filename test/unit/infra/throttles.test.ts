import { Stack, Token } from 'aws-cdk-lib';
import { CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import fc from 'fast-check';
import { concurrencyBounds, concurrencyOf, reservationBounds } from '../../../infra/concurrency.ts';
import type { HoldfastStackProps } from '../../../infra/stack.ts';
import { throttleRoutes, throttlesOf } from '../../../infra/throttles.ts';
import { defaultThrottles } from '../../../lambda/throttles.ts';
import { type FunctionName, type Operation, routeKey, routes } from '../../../sdk/wire/routes.ts';
import { newApp, resourcesOf, synthesize } from './synthesized.ts';

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
    const stage = new CfnStage(new Stack(newApp(), 'Mine'), 'Stage', {
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
    expect(of('try')).toEqual({ requestsPerSecond: 1_000, burst: 150 });
  });

  it('goes by the quota of the account and by what is reserved', () => {
    expect(stageOf({ accountConcurrency: 10 }).of('acquire')).toEqual({ requestsPerSecond: 0.135, burst: 1 });
    const { of } = stageOf({ reservedConcurrency: { acquire: 60, lease: 40 } });
    expect(of('acquire')).toEqual({ requestsPerSecond: 300, burst: 60 });
    expect(of('try')).toEqual({ requestsPerSecond: 200, burst: 10 });
  });
});

const accepted: Array<[string, HoldfastStackProps]> = [
  ['the most that an account takes', { throttles: { renew: { requestsPerSecond: 10_000, burst: 5_000 } } }],
  ['the least', { throttles: { list: { requestsPerSecond: 0.01, burst: 1 } } }],
  ['none of its own, as if it were left out', { throttles: { list: undefined } as never }],
  [
    'all that leave an eighth of the slots together',
    {
      throttles: {
        acquire: { requestsPerSecond: 20, burst: 100 },
        try: { requestsPerSecond: 1_000, burst: 150 },
        inspect: { requestsPerSecond: 100, burst: 104 },
      },
    },
  ],
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
    'attempts that leave an eighth of the slots for renewals',
    { throttles: { try: { requestsPerSecond: 100, burst: 7 } }, reservedConcurrency: { lease: 20 } },
  ],
  ['attempts beside two slots for renewals', { reservedConcurrency: { lease: 2 } }],
  ...(['renew', 'release'] as const).map((operation): [string, HoldfastStackProps] => [
    `${operation} at the pace of tries`,
    { throttles: { [operation]: { requestsPerSecond: 1_000, burst: 150 } } },
  ]),
  [
    'renewals at the pace of waits where tries are as few',
    { throttles: { renew: { requestsPerSecond: 20, burst: 100 }, try: { requestsPerSecond: 20, burst: 1 } } },
  ],
];

const rate = 'must be a number above 0 and at most 10000, the quota of an account, got';
const withinThese = 'Set it within these bounds, or leave';

const refused: Array<[unknown, string]> = [
  [
    { renew: { requestsPerSecond: 10_001, burst: 10 } },
    `throttles.renew.requestsPerSecond ${rate} 10001. ${withinThese}`,
  ],
  [{ try: { requestsPerSecond: 0, burst: 10 } }, `throttles.try.requestsPerSecond ${rate} 0. ${withinThese}`],
  [{ try: { requestsPerSecond: Number.NaN, burst: 10 } }, `throttles.try.requestsPerSecond ${rate} NaN.`],
  [{ try: { requestsPerSecond: '5', burst: 1 } }, `throttles.try.requestsPerSecond ${rate} "5".`],
  [{ try: { burst: 1 } }, `throttles.try.requestsPerSecond ${rate} nothing.`],
  [
    { try: { requestsPerSecond: Token.asNumber({ Ref: 'X' }), burst: 1 } },
    `throttles.try.requestsPerSecond ${rate} a value that is only known when the stack is deployed.`,
  ],
  [
    { try: { requestsPerSecond: 1, burst: 0 } },
    `throttles.try.burst must be a whole number, the quota of an account, from 1 to 5000, got 0. ${withinThese}`,
  ],
  [{ try: { requestsPerSecond: 1, burst: 1.5 } }, 'got 1.5.'],
  [{ try: { requestsPerSecond: 1, burst: '1' } }, 'got "1".'],
  [{ renew: { requestsPerSecond: 1, burst: 5_001 } }, 'got 5001.'],
  [
    { try: { requestsPerSecond: 1, burst: 1, rate: 1 } },
    'throttles.try must have no other names than requestsPerSecond, burst, got "rate". Give both numbers',
  ],
  [
    { inspect: null },
    'throttles.inspect must be an object with any of requestsPerSecond, burst, got null. Give both numbers',
  ],
  [
    null,
    'throttles must be an object with any of try, acquire, renew, release, inspect, list, break, got null. Leave out',
  ],
  [{ lock: { requestsPerSecond: 1, burst: 1 } }, 'throttles must have no other names than try, acquire,'],
  [{ toString: { requestsPerSecond: 1, burst: 1 } }, 'got "toString". Leave out what is to have its default.'],
];

const tooMuch: Array<[HoldfastStackProps, string]> = [
  [
    { throttles: { acquire: { requestsPerSecond: 20, burst: 101 } } },
    'throttles.acquire must let at most 500 requests wait at once, half of accountConcurrency, so that renewals and ' +
      'releases run, got "501 (101, and 20 a second for up to 20 s each)". Lower it, set reservedConcurrency.lease, or set',
  ],
  [
    { throttles: { acquire: { requestsPerSecond: 20, burst: 100 } }, reservedConcurrency: { admin: 10 } },
    'throttles.acquire must let at most 495 requests wait',
  ],
  [
    { throttles: { try: { requestsPerSecond: 100, burst: 8 } }, reservedConcurrency: { lease: 20 } },
    'throttles must let at most 17.5 of the 20 slots in which renewals and releases run be taken by others, got "18 (try 18)".',
  ],
  [
    { throttles: { try: { requestsPerSecond: 1_000, burst: 205 } } },
    'got "876 (acquire 500, try 305, inspect 60, list 5.5, break 5.5)". A slot serves 10 requests a second, and each of a ' +
      'burst takes one: lower those that take most, or raise reservedConcurrency.lease or accountConcurrency.',
  ],
  [{ throttles: { inspect: { requestsPerSecond: 100, burst: 105 } } }, 'got "876 (acquire 500, try 250, inspect 115,'],
  [
    { throttles: { list: { requestsPerSecond: 5, burst: 3 } }, accountConcurrency: 10 },
    'must let at most 8.75 of the 10',
  ],
  ...(['renew', 'release'] as const).flatMap(
    (operation): Array<[HoldfastStackProps, string]> => [
      [
        { throttles: { [operation]: { requestsPerSecond: 19, burst: 1_000 } } },
        `throttles.${operation}.requestsPerSecond must be at least that of acquire, 20, for whoever took a lock has to keep ` +
          'it and give it back, got 19. Raise it, or lower throttles.acquire.',
      ],
      [
        { throttles: { [operation]: { requestsPerSecond: 999, burst: 1_000 } } },
        `throttles.${operation}.requestsPerSecond must be at least that of try, 1000,`,
      ],
      [
        { throttles: { [operation]: { requestsPerSecond: 2_000, burst: 99 } } },
        `throttles.${operation}.burst must be at least that of acquire, 100,`,
      ],
      [
        { throttles: { [operation]: { requestsPerSecond: 2_000, burst: 149 } } },
        `throttles.${operation}.burst must be at least that of try, 150,`,
      ],
    ],
  ),
];

const checked = (props: HoldfastStackProps) => throttlesOf(props, concurrencyOf(props));

/** Every account, with any slots that Lambda would set aside in it. */
const concurrencies = fc
  .record({ account: fc.oneof(fc.integer({ min: 10, max: 2_000 }), fc.integer(concurrencyBounds)), shares: shares() })
  .map(({ account, shares }) => {
    const reservedConcurrency: Record<string, number> = {};
    let left = account - 100;
    for (const [name, share] of Object.entries(shares)) {
      const { min } = reservationBounds[name as FunctionName];
      if (share === undefined || left < min) continue;
      reservedConcurrency[name] = min + Math.floor((left - min) * share);
      left -= reservedConcurrency[name];
    }
    return { accountConcurrency: account, reservedConcurrency };
  });

function shares() {
  const share = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined });
  return fc.record({ acquire: share, lease: share, admin: share });
}

it('nothing that is left out contradicts another default, in any account and with any slots set aside', () => {
  fc.assert(
    fc.property(concurrencies, (props) => {
      expect(() => checked(props)).not.toThrow();
    }),
    { numRuns: 2_000, examples: [[{ accountConcurrency: 81_010, reservedConcurrency: {} }]] },
  );
});

it.each([10, 1_000, 81_010, 1_000_000])('an account of %i slots needs no throttles besides', (accountConcurrency) => {
  expect(() => synthesize({ accountConcurrency, alarms: false, dashboard: false })).not.toThrow();
});

describe('throttles', () => {
  it.each(accepted)('may be %s', (_what, props) => {
    expect(checked(props)).toMatchObject(JSON.parse(JSON.stringify(props.throttles ?? {})));
  });

  it.each(refused)('may not be %j', (throttles, message) => {
    expect(() => checked({ throttles } as HoldfastStackProps)).toThrow(message);
  });

  it.each(tooMuch)('may not take what renewals and releases need: %j', (props, message) => {
    expect(() => checked(props)).toThrow(message);
  });

  it('are checked at synthesis', () => {
    expect(() => synthesize({ throttles: { acquire: { requestsPerSecond: 50, burst: 100 } } })).toThrow(
      'got "1100 (100, and 50 a second',
    );
  });
});
