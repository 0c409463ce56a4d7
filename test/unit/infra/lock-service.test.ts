import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { type IGrantable, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LockService } from '../../../infra/lock-service.ts';
import { useArns } from '../../../infra/use-arns.ts';
import { newApp, resourcesOf, standInCode } from './synthesized.ts';

const here = { account: '111111111111', region: 'eu-central-1' };

function lockServiceIn(stack: Stack): LockService {
  return new LockService(stack, 'Locks', { functionCode: standInCode });
}

describe('LockService', () => {
  it('does not depend on the feature flags of the app that uses it', () => {
    const flagged = new Stack(newApp(), 'Mine');
    const bare = new Stack(new App({ builtinCloudFormationValidation: false }), 'Mine');
    lockServiceIn(flagged);
    lockServiceIn(bare);
    expect(Template.fromStack(bare).toJSON()).toEqual(Template.fromStack(flagged).toJSON());
  });

  it('may stand twice in one stack', () => {
    const stack = new Stack(newApp(), 'Mine');
    new LockService(stack, 'Blue', { functionCode: standInCode });
    new LockService(stack, 'Green', { functionCode: standInCode });
    const template = Template.fromStack(stack);
    const names = Object.values(resourcesOf(template, 'AWS::Logs::LogGroup')).flatMap(
      ({ Properties }) => Properties['LogGroupName'] ?? [],
    );
    expect(new Set(names).size).toBe(2);
  });

  it('gives clients a URL that ends in no slash', () => {
    const stack = new Stack(newApp(), 'Mine');
    expect(stack.resolve(lockServiceIn(stack).url)).toEqual({ 'Fn::GetAtt': ['LocksApi687198B1', 'ApiEndpoint'] });
  });
});

describe('grantUse', () => {
  function grantTo(grantee: (stack: Stack) => IGrantable) {
    const stack = new Stack(newApp(), 'Mine', { env: here });
    const locks = lockServiceIn(stack);
    locks.grantUse(grantee(stack));
    return { stack, locks };
  }

  it('lets a role invoke the routes for users, and no other', () => {
    const { stack, locks } = grantTo(
      (scope) => new Role(scope, 'Worker', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') }),
    );
    const policies = resourcesOf(Template.fromStack(stack), 'AWS::IAM::Policy');
    const statements = Object.values(policies)
      .map(({ Properties }) => Properties['PolicyDocument'] as { Statement: Array<Record<string, unknown>> })
      .flatMap((document) => document.Statement)
      .filter(({ Action }) => JSON.stringify(Action).includes('execute-api'));
    expect(statements).toHaveLength(1);
    expect(statements[0]).toMatchObject({ Effect: 'Allow', Action: 'execute-api:Invoke' });
    expect(new Set(statements[0]?.['Resource'] as unknown[])).toEqual(
      new Set(stack.resolve(useArns(locks.api, '$default'))),
    );
  });

  it('refuses a role of another account, for which CDK would grant nothing and say nothing', () => {
    const foreign = (scope: Stack) => Role.fromRoleArn(scope, 'Worker', 'arn:aws:iam::222222222222:role/worker');
    expect(() => grantTo(foreign)).toThrow(/of account 222222222222, the lock service of 111111111111/);
  });

  it('takes an imported role of the same account', () => {
    const { stack } = grantTo((scope) => Role.fromRoleArn(scope, 'Worker', 'arn:aws:iam::111111111111:role/worker'));
    Template.fromStack(stack).hasResourceProperties('AWS::IAM::Policy', { Roles: ['worker'] });
  });

  it('refuses a principal that no policy can be attached to', () => {
    expect(() => grantTo(() => new ServicePrincipal('events.amazonaws.com'))).toThrow(/execute-api:Invoke/);
  });
});
