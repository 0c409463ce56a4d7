import { type IResource, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { refusal } from './refusal.ts';

/**
 * Checks that something that was made elsewhere is of the scope's Region, as far as that is known at synthesis.
 *
 * @param arn of the resource; where it is not known, the resource's own Region counts
 * @throws Error for a resource of another Region
 */
export function checkSameRegion(scope: Construct, prop: string, resource: IResource, arn: string): void {
  const { region } = Stack.of(scope);
  const other = Token.isUnresolved(arn) ? resource.env.region : (arn.split(':')[3] ?? '');
  if (Token.compareStrings(other, region) !== TokenComparison.DIFFERENT) return;
  throw refusal(
    prop,
    `must be of the stack's Region (${region})`,
    Token.isUnresolved(arn) ? other : arn,
    `Give one of ${region}; with several Regions each stack has its own.`,
  );
}
