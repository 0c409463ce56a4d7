import type { CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import cdkJson from '../../../cdk.json';
import { addChecks } from '../../../infra/checks.ts';
import { settingsIn } from '../../../infra/context.ts';
import { readyStacks } from '../../../infra/ready-stacks.ts';
import { HoldfastStack } from '../../../infra/stack.ts';
import { appWith, standInCode } from './synthesized.ts';

/** Synthesizes the app with every check, after its stack was changed. */
function synthesizeChecked(change: (stack: HoldfastStack) => void): () => void {
  return () => {
    const app = appWith({ context: cdkJson.context });
    addChecks(app);
    change(new HoldfastStack(app, 'Holdfast', { functionCode: standInCode }));
    app.synth();
  };
}

describe('synthesis', () => {
  it('passes every check as the stack is', () => {
    expect(synthesizeChecked(() => undefined)).not.toThrow();
  });

  it.each<[string, Record<string, string>]>([
    [
      'token, with a domain name, and with everything else that can be set',
      {
        'holdfast:jwtIssuer': 'https://tenant.example/',
        'holdfast:jwtAudience': 'locks',
        'holdfast:jwtUseScope': 'locks/use',
        'holdfast:jwtReadScope': 'locks/read',
        'holdfast:jwtAdminScope': 'locks/admin',
        'holdfast:domainName': 'locks.example.com',
        'holdfast:certificateArn': 'arn:aws:acm:eu-central-1:111111111111:certificate/abc',
        'holdfast:hostedZoneId': 'Z1',
        'holdfast:hostedZoneName': 'example.com',
        'holdfast:removalPolicy': 'destroy',
        'holdfast:logRetentionDays': '1',
        'holdfast:lineLimit': '1',
      },
    ],
    [
      'IAM in several Regions',
      {
        'holdfast:region': 'eu-central-1',
        'holdfast:replicaRegions': 'eu-west-1',
        'holdfast:witnessRegion': 'eu-west-3',
        'holdfast:tableName': 'locks',
      },
    ],
  ])('passes every check with authorization by %s', (_, context) => {
    const app = appWith({ context: { ...cdkJson.context, ...context } });
    addChecks(app);
    readyStacks(app, settingsIn(app.node.getAllContext()), { functionCode: standInCode });
    expect(() => app.synth()).not.toThrow();
  });

  it('fails on an error by the rules of good practice', () => {
    const withoutAccessLog = ({ locks }: HoldfastStack) => {
      (locks.stage.node.defaultChild as CfnStage).accessLogSettings = undefined;
    };
    expect(synthesizeChecked(withoutAccessLog)).toThrow('ERROR The API does not have access logging enabled.');
  });

  it('fails on a mere warning by the rules of good practice', () => {
    const withEndlessLog = ({ locks }: HoldfastStack) => {
      (locks.functions.lease.logGroup.node.defaultChild as CfnLogGroup).retentionInDays = undefined;
    };
    expect(synthesizeChecked(withEndlessLog)).toThrow(
      'WARNING The CloudWatch Log Group does not have an explicit retention policy defined.',
    );
  });

  it('fails on a template that CloudFormation would refuse', () => {
    const withTooLongTimeout = ({ locks }: HoldfastStack) => {
      (locks.functions.acquire.node.defaultChild as CfnFunction).timeout = 1_000;
    };
    expect(synthesizeChecked(withTooLongTimeout)).toThrow('ERROR Timeout: 1000 exceeds maximum 900');
  });
});
