import { Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { IHttpApi, IStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { Grant, type IGrantable, type IPrincipal, UnknownPrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  type CfnFunction,
  Function as LambdaFunction,
  SingletonFunction,
  Version,
} from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { clientEnvironmentNames } from '../lambda/names.ts';
import type { Authorization } from './authorization.ts';
import { type GrantKind, grantArns } from './grant-arns.ts';
import { checkNamed, refusal, shown } from './refusal.ts';

export interface GrantOptions {
  /**
   * Only locks whose ids begin with this, such as `billing/`. Clients set the same `prefix` when they connect.
   *
   * Well-formed text of 1 to 512 UTF-8 bytes, known at synthesis.
   *
   * @default - every lock
   */
  readonly prefix?: string;
}

/** What is granted, and by which lock service. */
export interface Granting {
  readonly scope: Construct;
  readonly api: Pick<IHttpApi, 'arnForExecuteApi'>;
  readonly stage: Pick<IStage, 'stageName'>;
  readonly authorization: Authorization['kind'];
}

/**
 * Allows a principal to invoke routes.
 *
 * @throws Error where it would grant nothing, which CDK leaves unsaid, and for options that would be taken for none
 */
export function grantRoutes(
  kind: GrantKind,
  grantee: IGrantable,
  options: GrantOptions,
  { scope, api, stage, authorization }: Granting,
): Grant {
  if (authorization === 'jwt') {
    throw new Error(
      `${kind}: this lock service authorizes by token, not by IAM, and a token has the same rights on every lock. ` +
        'Have the issuer put the scope into the tokens, or leave out the prop authorization.',
    );
  }
  const prefix = prefixIn(kind, options);
  checkPrincipal(kind, grantee.grantPrincipal, Stack.of(scope).account);
  const grant = Grant.addToPrincipal({
    grantee,
    actions: ['execute-api:Invoke'],
    resourceArns: grantArns(kind, api, stage.stageName, prefix),
  });
  if (!grant.success) throw nothingGranted(kind, 'no policy can be attached to this principal');
  return grant;
}

// Whatever is not understood would grant every lock.
function prefixIn(kind: GrantKind, options: GrantOptions): string | undefined {
  const fix = "Write { prefix: 'billing/' }, or leave it out to grant every lock.";
  checkNamed(`${kind}: options`, options, ['prefix'], fix);
  const { prefix } = options as GrantOptions;
  if ('prefix' in options && prefix === undefined) throw refusal(`${kind}: prefix`, 'must be text', prefix, fix);
  return prefix;
}

function checkPrincipal(kind: GrantKind, principal: IPrincipal, account: string): void {
  const { principalAccount } = principal;
  if (principalAccount !== undefined && Token.compareStrings(principalAccount, account) === TokenComparison.DIFFERENT) {
    throw new Error(
      `${kind}: the principal is of account ${principalAccount}, the lock service of ${account}. ` +
        "An HTTP API has no policy of its own: grant it to a role of the lock service's account, and let the principal assume that role.",
    );
  }
  // Nobody can tell whether that is the same: CDK takes it for a yes, and would attach a policy to whatever role of the
  // lock service's account has the same name.
  if (principalAccount !== undefined && !Token.isUnresolved(principalAccount) && Token.isUnresolved(account)) {
    throw new Error(
      `${kind}: the principal is of account ${principalAccount}, and which one the lock service is of is only known when ` +
        "the stack is deployed. Name the stack's account: new Stack(app, 'Locks', { env: { account: '…', region: '…' } }).",
    );
  }
  const wrapped = wrappedIn(principal);
  if (wrapped !== undefined) checkWrapped(kind, principal, wrapped, account);
  // Of these two CDK says that the grant succeeded, and does nothing.
  if (principal instanceof UnknownPrincipal) throw nothingGranted(kind, 'it was imported without its role');
  const { PROPERTY_INJECTION_ID: construct } = principal.constructor as { PROPERTY_INJECTION_ID?: string };
  if (construct === 'aws-cdk-lib.aws-iam.ImmutableRole') {
    throw nothingGranted(kind, 'the role was imported, or handed on, so that its policies do not change');
  }
}

// CDK hands a grant to such a principal on to the one in it, and its answer back. So it is that one that counts.
function wrappedIn(principal: IPrincipal): IPrincipal | undefined {
  return (principal as { readonly wrapped?: IPrincipal }).wrapped;
}

function checkWrapped(kind: GrantKind, principal: IPrincipal, wrapped: IPrincipal, account: string): void {
  checkPrincipal(kind, wrapped, account);
  const { conditions } = principal.policyFragment;
  if (Object.keys(conditions).length === 0) return;
  throw new Error(
    `${kind}: CDK would grant it without the conditions of the principal, got ${shown(conditions)}. Grant it to the principal ` +
      'without conditions, or attach a policy of your own that has them.',
  );
}

function nothingGranted(kind: GrantKind, why: string): Error {
  return new Error(
    `${kind}: nothing would be granted, for ${why}. Grant it to a role of this account that this app may change, or ` +
      'attach the policy by hand, see "Who may use the locks" in infra/README.md.',
  );
}

/** Tells a function where the locks are, unless it knows. Of an alias or a version it is the function that is told. */
export function setUrl(grantee: IGrantable, url: string): void {
  const lambda = functionOf(grantee);
  if (lambda === undefined) return;
  const { environment } = lambda.node.defaultChild as CfnFunction;
  const known = Stack.of(lambda).resolve(environment) as { variables?: Record<string, unknown> } | undefined;
  if (known?.variables?.[clientEnvironmentNames.url] === undefined)
    lambda.addEnvironment(clientEnvironmentNames.url, url);
}

function functionOf(grantee: IGrantable): LambdaFunction | undefined {
  const lambda = grantee instanceof Alias || grantee instanceof Version ? grantee.lambda : grantee;
  // The function of a singleton stands elsewhere in the stack: its resource has the permissions.
  const own = lambda instanceof SingletonFunction ? lambda.permissionsNode.defaultChild?.node.scope : lambda;
  return own instanceof LambdaFunction ? own : undefined;
}
