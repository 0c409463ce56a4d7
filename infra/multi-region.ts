import { isDeepStrictEqual } from 'node:util';
import { Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { AuthorizationProp } from './authorization.ts';
import type { FunctionSettings } from './function-settings.ts';
import { checkNamed, refusal } from './refusal.ts';

/**
 * One set of locks served in several Regions, over a table whose replicas are strongly consistent.
 *
 * Decide this before the first deployment: a table that has items, or a time to live, cannot become such a table. These
 * tables have no time to live, so the item of every lock id that was ever used stays (about 250 bytes each, in every
 * Region); `npm run sweep`, in a clone of the repository, removes those long at rest.
 */
export interface MultiRegionProps {
  /** The Regions that serve the locks besides the stack's own: two, or one where there is a witness. */
  readonly replicaRegions: readonly string[];
  /**
   * A Region that only keeps a record of the writes, to decide when one of the two others is out of reach.
   *
   * @default - none: three Regions serve the locks
   */
  readonly witnessRegion?: string;
  /** Name of the table, the same in every Region: 3 to 255 of `A-Za-z0-9_.-`. The other stacks find it by this. */
  readonly tableName: string;
  /**
   * There is no other: two eventually consistent replicas would grant the same lock at the same time.
   *
   * @default 'strong'
   */
  readonly consistency?: 'strong';
}

const exampleStack = "new Stack(app, 'Locks', { env: { region: 'eu-west-1' } })";

// What names of Regions look like. Which ones can be combined is for DynamoDB to say, and changes.
const regionPattern = /^[a-z]{2,}(-[a-z]+)+-\d+$/;

/** @throws Error unless DynamoDB could make such a table from the stack's Region */
export function checkMultiRegion(scope: Construct, props: MultiRegionProps): void {
  checkNamed(
    'multiRegion',
    props,
    ['replicaRegions', 'witnessRegion', 'tableName', 'consistency'],
    'Leave it out for one Region.',
  );
  const { replicaRegions, witnessRegion, tableName, consistency } = props as MultiRegionProps;
  if (consistency !== undefined && consistency !== 'strong') {
    throw refusal(
      'multiRegion.consistency',
      "must be 'strong'",
      consistency,
      'Leave it out: eventually consistent replicas would grant one lock in two Regions at the same time.',
    );
  }
  const { region } = Stack.of(scope);
  if (Token.isUnresolved(region)) {
    throw refusal(
      'multiRegion',
      'needs a stack whose Region is known at synthesis',
      region,
      `Name it: ${exampleStack}.`,
    );
  }
  if (Token.isUnresolved(tableName) || !/^[A-Za-z0-9_.-]{3,255}$/.test(tableName ?? '')) {
    throw refusal(
      'multiRegion.tableName',
      'must be 3 to 255 of A-Za-z0-9_.-',
      tableName,
      'Choose a name: stacks of other Regions find the table by it.',
    );
  }
  if (!Array.isArray(replicaRegions)) {
    throw refusal('multiRegion.replicaRegions', 'must be a list of Regions', replicaRegions, 'Name the other Regions.');
  }
  const others = [...replicaRegions, ...(witnessRegion === undefined ? [] : [witnessRegion])];
  for (const other of others) {
    if (!Token.isUnresolved(other) && regionPattern.test(other)) continue;
    throw refusal(
      other === witnessRegion ? 'multiRegion.witnessRegion' : 'multiRegion.replicaRegions',
      'must name Regions, such as eu-west-1',
      other,
      'Write the name itself: it must be known at synthesis.',
    );
  }
  if (witnessRegion !== undefined && [region, ...replicaRegions].includes(witnessRegion)) {
    throw refusal(
      'multiRegion.witnessRegion',
      `must be another Region than those that serve the locks (${[region, ...replicaRegions].join(', ')})`,
      witnessRegion,
      'Choose a third Region.',
    );
  }
  if (new Set([region, ...replicaRegions]).size <= replicaRegions.length) {
    throw refusal(
      'multiRegion.replicaRegions',
      `must be different Regions, without the stack's own (${region})`,
      replicaRegions,
      'Name each other Region once.',
    );
  }
  if (others.length !== 2) {
    throw refusal(
      'multiRegion',
      "must be three Regions with the stack's own, or two and a witness",
      [region, ...others],
      'Set replicaRegions to two Regions, or to one and witnessRegion to another.',
    );
  }
}

/** What a service in another Region must know of the one whose table it shares. */
export interface Primary {
  readonly multiRegion: MultiRegionProps | undefined;
  readonly account: string;
}

/** @throws Error unless the scope's Region has a replica of the primary's table */
export function checkReplica(scope: Construct, { multiRegion, account: primaryAccount }: Primary): void {
  if (!multiRegion) {
    throw refusal(
      'replicaOf',
      'must be a lock service with multiRegion',
      'one without',
      'Set multiRegion on that one, before its first deployment.',
    );
  }
  const { region, account } = Stack.of(scope);
  const { replicaRegions } = multiRegion;
  if (Token.isUnresolved(region) || !replicaRegions.includes(region)) {
    throw refusal(
      'replicaOf',
      `needs a stack in one of the Regions of multiRegion.replicaRegions (${replicaRegions.join(', ')})`,
      region,
      region === multiRegion.witnessRegion
        ? 'A witness serves no requests: leave this stack out.'
        : `Name the stack's Region: new Stack(app, 'LocksThere', { env: { region: '${replicaRegions[0]}' } }).`,
    );
  }
  if (Token.compareStrings(account, primaryAccount) === TokenComparison.DIFFERENT) {
    throw refusal(
      'replicaOf',
      `must be of the same account as the stack (${account})`,
      primaryAccount,
      'Deploy both stacks to one account.',
    );
  }
}

/** What every service of one set of locks has in common, besides the table. */
export interface Shared extends Required<Pick<FunctionSettings, 'maxLeaseMs' | 'lineLimit'>> {
  readonly authorization: AuthorizationProp;
}

/**
 * What a service in another Region takes over from the primary. Otherwise a lease, or a caller, would be taken in one
 * Region and refused in the next.
 *
 * @throws Error for a prop that is given and differs
 */
export function inherited(props: Partial<Shared>, primary: Shared): Shared {
  for (const name of ['authorization', 'maxLeaseMs', 'lineLimit'] as const) {
    const [own, wanted] = [props[name], primary[name]];
    if (own === undefined || isDeepStrictEqual(own, wanted)) continue;
    throw refusal(
      name,
      `must be that of the lock service of replicaOf (${JSON.stringify(wanted)})`,
      own,
      'Leave it out here: it is taken from there.',
    );
  }
  return primary;
}
