import { Match, Template } from 'aws-cdk-lib/assertions';
import { HttpMethod, HttpNoneAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpUrlIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { accessLogFields, accessLogNumbers } from '../../../infra/access-log.ts';
import { HoldfastStack } from '../../../infra/stack.ts';
import { routeKey, routes } from '../../../sdk/wire/routes.ts';
import { openRoutes, routeTable } from './route-table.ts';
import { newApp, resourcesOf, standInCode, synthesize } from './synthesized.ts';

const { template } = synthesize();
const table = routeTable(template);

describe('the API', () => {
  it('has the routes of the contract, each served by its function, and no other', () => {
    const served = [...table].map(([key, route]) => [key, route.function.Properties['Code']] as const);
    const promised = Object.values(routes).map(
      (route) => [routeKey(route), { ZipFile: `// ${route.function}` }] as const,
    );
    expect(new Map(served)).toEqual(new Map(promised));
    expect(Object.keys(resourcesOf(template, 'AWS::ApiGatewayV2::Route'))).toHaveLength(promised.length);
  });

  it('has no route without authorization', () => {
    expect(openRoutes(template)).toEqual([]);
  });

  it('is checked by a check that finds an open route, and authorizes a route that says nothing', () => {
    const stack = new HoldfastStack(newApp(), 'Open', { functionCode: standInCode });
    const integration = new HttpUrlIntegration('Elsewhere', 'https://example.com');
    stack.locks.api.addRoutes({ path: '/silent', methods: [HttpMethod.GET], integration });
    stack.locks.api.addRoutes({
      path: '/open',
      methods: [HttpMethod.GET],
      integration,
      authorizer: new HttpNoneAuthorizer(),
    });
    expect(openRoutes(Template.fromStack(stack))).toEqual(['GET /open']);
  });

  it('waits 29 s for a function, a second longer than the slowest may run', () => {
    for (const route of table.values()) {
      expect(route.integration.Properties).toMatchObject({
        IntegrationType: 'AWS_PROXY',
        PayloadFormatVersion: '2.0',
        TimeoutInMillis: 29_000,
      });
      expect(Number(route.function.Properties['Timeout'])).toBeLessThanOrEqual(28);
    }
  });

  it('may invoke a function only for a route that the function serves', () => {
    const permitted = Object.values(resourcesOf(template, 'AWS::Lambda::Permission')).map(({ Properties }) => {
      expect(Properties['Principal']).toBe('apigateway.amazonaws.com');
      return JSON.stringify(Properties['SourceArn']).match(/"\/\*\/\*(\/v1[^"]*)"/)?.[1];
    });
    expect(permitted.sort()).toEqual(
      Object.values(routes)
        .map((route) => route.path)
        .sort(),
    );
  });

  it('is served by one stage that deploys by itself and is throttled', () => {
    const stages = Object.values(resourcesOf(template, 'AWS::ApiGatewayV2::Stage'));
    expect(stages).toHaveLength(1);
    expect(stages[0]?.Properties).toMatchObject({
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingBurstLimit: 1_000, ThrottlingRateLimit: 2_000 },
    });
  });
});

describe('the access log', () => {
  const [accessLogGroup] = Object.entries(resourcesOf(template, 'AWS::Logs::LogGroup')).flatMap(
    ([id, { Properties }]) => (Properties['LogGroupName'] ? [id] : []),
  );

  it('goes to a group that needs no entry in the log policy of the account', () => {
    template.hasResourceProperties('AWS::Logs::LogGroup', {
      LogGroupName: Match.stringLikeRegexp('^/aws/vendedlogs/holdfast/.'),
    });
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      AccessLogSettings: { DestinationArn: { 'Fn::GetAtt': [accessLogGroup, 'Arn'] } },
    });
  });

  const [{ Format: format }] = Object.values(resourcesOf(template, 'AWS::ApiGatewayV2::Stage')).map(
    ({ Properties }) => Properties['AccessLogSettings'] as { Format: string },
  ) as [{ Format: string }];
  /** The line of a request, as the gateway fills in the format. */
  const lineOf = (values: Readonly<Record<string, string>>) =>
    JSON.parse(format.replace(/\$context\.([A-Za-z.]+)/g, (_, name) => values[name] ?? '-'));

  it('is one JSON object per request, in which numbers are numbers', () => {
    const line = lineOf({ status: '503', responseLatency: '29001', routeKey: 'POST /v1/locks/{lockId}/try' });
    expect(line).toMatchObject({ status: 503, responseLatencyMs: 29_001, routeKey: 'POST /v1/locks/{lockId}/try' });
    expect(Object.keys(line)).toEqual([...Object.keys(accessLogFields), ...Object.keys(accessLogNumbers)]);
    expect(Object.keys(line)).toEqual(expect.arrayContaining(['requestId', 'integrationError', 'gatewayError']));
  });

  it('says who asked, be it by IAM or by JWT', () => {
    const caller = 'arn:aws:sts::1:assumed-role/worker/i-1';
    const answered = { status: '200', responseLatency: '20' };
    expect(lineOf({ ...answered, 'identity.userArn': caller })).toMatchObject({ caller, subject: '-' });
    expect(lineOf({ ...answered, 'authorizer.claims.sub': 'u-1' })).toMatchObject({ caller: '-', subject: 'u-1' });
  });

  it('takes nothing that the caller writes', () => {
    const written = /\$context\.(path|protocol|domain|identity\.(userAgent|sourceIp)|request\.|authorizer\.claims)/;
    expect('$context.path').toMatch(written);
    const { subject, ...others } = accessLogFields;
    for (const variable of Object.values({ ...others, ...accessLogNumbers })) {
      expect(variable).toMatch(/^\$context\./);
      expect(variable).not.toMatch(written);
    }
    // Of the claims only who it is, which their issuer signs.
    expect(subject).toBe('$context.authorizer.claims.sub');
  });
});
