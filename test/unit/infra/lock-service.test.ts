import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { LockService } from '../../../infra/lock-service.ts';
import { appWith, newApp, resourcesOf, standInCode } from './synthesized.ts';

function lockServiceIn(stack: Stack): LockService {
  return new LockService(stack, 'Locks', { functionCode: standInCode });
}

describe('LockService', () => {
  it('does not depend on the feature flags of the app that uses it', () => {
    const flagged = new Stack(newApp(), 'Mine');
    const bare = new Stack(appWith({ builtinCloudFormationValidation: false }), 'Mine');
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
