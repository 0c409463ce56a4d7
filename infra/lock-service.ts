import { type RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { HttpApi, HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import type { ITableV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionName } from '../sdk/wire/routes.ts';
import { type Authorization, type AuthorizationProp, authorizationOf } from './authorization.ts';
import { type ConcurrencyProps, concurrencyOf } from './concurrency.ts';
import { type CustomDomainProps, createCustomDomain } from './custom-domain.ts';
import { type FunctionCode, functionCodeOf } from './function-code.ts';
import { type FunctionSettings, functionSettings } from './function-settings.ts';
import type { GrantKind } from './grant-arns.ts';
import { type GrantOptions, grantRoutes, setUrl } from './grants.ts';
import { createLockApi } from './lock-api.ts';
import { createLockFunction } from './lock-function.ts';
import { createLockTable } from './lock-table.ts';
import { checkRetention } from './log-retention.ts';
import { createMonitoring, type MonitoringProps } from './monitoring.ts';
import { checkMultiRegion, checkReplica, inherited, type MultiRegionProps, type Shared } from './multi-region.ts';
import { checkProps, namesOfProps } from './prop-names.ts';
import { refusal } from './refusal.ts';
import { serviceName } from './service-name.ts';
import { type ThrottleProps, throttlesOf } from './throttles.ts';

export interface LockServiceProps extends FunctionSettings, ConcurrencyProps, ThrottleProps, MonitoringProps {
  /**
   * Who authorizes callers: IAM, whose rights can be granted per prefix, or the issuer of JSON Web Tokens.
   *
   * @default 'iam'
   */
  readonly authorization?: AuthorizationProp;

  /**
   * A domain name of one's own for the API, beside the one that it has anyway.
   *
   * @default - none
   */
  readonly domain?: CustomDomainProps;

  /**
   * What becomes of the table when it leaves the stack, or the stack goes. With `DESTROY` every hold and every fencing
   * token goes with it, and the table is not protected against deletion either: for trials only.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * How long the access log is kept: who asked for what, when, and how it ended.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly accessLogRetention?: RetentionDays;

  /**
   * Serves the locks in several Regions, strongly consistent. The stack's Region must be known at synthesis; each other
   * Region that serves gets a stack of its own, with a lock service that is `replicaOf` this one.
   *
   * @default - one Region
   */
  readonly multiRegion?: MultiRegionProps;

  /**
   * The lock service of another Region whose locks this one serves, too: one with `multiRegion`, whose table has a
   * replica in this stack's Region. `authorization`, `maxLeaseMs` and `lineLimit` are those of that one: leave them out, or
   * repeat them.
   *
   * @default - a table of its own
   */
  readonly replicaOf?: LockService;

  /**
   * The code of the functions.
   *
   * @default - the bundles that come with the package
   */
  readonly functionCode?: FunctionCode;
}

// A prop that has no name there would be refused, and does not compile.
namesOfProps satisfies Readonly<Record<keyof LockServiceProps, true>>;

/**
 * A lock service: a table, three functions and an HTTP API whose every route is authorized.
 *
 * Never change the construct's id or the scopes above it once deployed: the table would be replaced by an empty one
 * while programs still hold locks of the old.
 *
 * @example
 * const locks = new LockService(this, 'Locks');
 * locks.grantUse(worker);
 */
export class LockService extends Construct {
  readonly table: ITableV2;
  readonly functions: Readonly<Record<FunctionName, LambdaFunction>>;
  readonly api: HttpApi;
  readonly stage: HttpStage;
  readonly #authorization: Authorization;
  readonly #domainName: string | undefined;
  readonly #multiRegion: MultiRegionProps | undefined;
  readonly #shared: Shared;
  readonly #replicas = new Map<string, ITableV2>();

  /** @throws Error naming the prop, what it must be, what it is and what to do, for props that are none or that contradict one another */
  constructor(scope: Construct, id: string, props: LockServiceProps = {}) {
    super(scope, id);
    checkProps(props);
    const { accessLogRetention = RetentionDays.ONE_MONTH } = props;
    checkRetention('accessLogRetention', accessLogRetention);
    this.#multiRegion = props.multiRegion;
    this.#domainName = props.domain?.domainName;
    const all = {
      ...props,
      ...(props.replicaOf !== undefined && inherited(props, primaryOf(props.replicaOf).#shared)),
    };
    const { authorization = 'iam' } = all;
    this.#authorization = authorizationOf(authorization);
    const settings = functionSettings(all);
    this.#shared = { authorization, maxLeaseMs: settings.maxLeaseMs, lineLimit: settings.lineLimit };
    const concurrency = concurrencyOf(props);
    const throttles = throttlesOf(props, concurrency);

    this.table = this.#tableOf(props);
    const functionProps = {
      ...settings,
      reservedConcurrency: concurrency.reserved,
      table: this.table,
      code: functionCodeOf(props.functionCode),
      authorization: this.#authorization.kind,
    };
    const create = (name: FunctionName) => createLockFunction(this, name, functionProps);
    this.functions = { acquire: create('acquire'), lease: create('lease'), admin: create('admin') };
    const { api, stage } = createLockApi(this, {
      functions: this.functions,
      authorization: this.#authorization,
      throttles,
      accessLogRetention,
      domain: props.domain === undefined ? undefined : createCustomDomain(this, props.domain),
    });
    this.api = api;
    this.stage = stage;
    createMonitoring(this, { service: serviceName(this), api, functions: this.functions, table: this.table }, props);
  }

  /** Where clients connect to, without a slash at the end: the domain name of one's own, if there is one. */
  get url(): string {
    // The stage's own `url` ends in a slash, and a path put behind it would have two.
    return this.#domainName === undefined ? this.api.apiEndpoint : `https://${this.#domainName}`;
  }

  /**
   * Lets a principal take, renew, release and look at locks, but neither list them nor break one. A function that has no
   * `HOLDFAST_URL` in its environment gets the API's own address there; of an alias or a version, the function that it is
   * of, and a version that is published already does not change.
   *
   * A `Policy` that is attached to nobody takes the grant, and CDK leaves it out of the template: attach it. For roles
   * under `Role.customizeRoles` CDK only reports it.
   *
   * With a prefix this is least privilege, not isolation: how IAM sees paths that a client spells in unusual ways is for
   * AWS to say.
   *
   * @throws Error when nothing would be granted: to a principal of another account, which must assume a role of this one;
   *   to one whose policies cannot be changed; where tokens authorize. And to a principal with conditions, which the grant
   *   would be without; for a prefix that cannot begin a lock id or is not known at synthesis, and for any other option
   */
  grantUse(grantee: IGrantable, options: GrantOptions = {}): Grant {
    const grant = this.#grant('grantUse', grantee, options);
    // Not a domain name of one's own: this one tells the Region that requests are signed for.
    setUrl(grantee, this.api.apiEndpoint);
    return grant;
  }

  /**
   * Lets a principal look at locks: who holds one, since when, how many wait.
   *
   * @throws Error as {@link grantUse} does
   */
  grantRead(grantee: IGrantable, options: GrantOptions = {}): Grant {
    return this.#grant('grantRead', grantee, options);
  }

  /**
   * Lets a principal break locks, and, without a prefix, list them. Looking at one first takes {@link grantRead}, too.
   *
   * @throws Error as {@link grantUse} does
   */
  grantAdmin(grantee: IGrantable, options: GrantOptions = {}): Grant {
    return this.#grant('grantAdmin', grantee, options);
  }

  #grant(kind: GrantKind, grantee: IGrantable, options: GrantOptions): Grant {
    const { api, stage } = this;
    return grantRoutes(kind, grantee, options, { scope: this, api, stage, authorization: this.#authorization.kind });
  }

  #tableOf({ removalPolicy, multiRegion, replicaOf }: LockServiceProps): ITableV2 {
    if (replicaOf === undefined) {
      if (multiRegion !== undefined) checkMultiRegion(this, multiRegion);
      const table = createLockTable(this, { removalPolicy, multiRegion });
      // CDK's class and its interface differ in what may be undefined.
      return table as ITableV2;
    }
    const ownedByPrimary = Object.entries({ removalPolicy, multiRegion }).find(([, value]) => value !== undefined);
    if (ownedByPrimary) {
      throw refusal(
        ownedByPrimary[0],
        'must be left out beside replicaOf',
        ownedByPrimary[1],
        'The table is that of the other lock service: set it there.',
      );
    }
    const primary = Stack.of(replicaOf);
    checkReplica(this, { multiRegion: replicaOf.#multiRegion, account: primary.account });
    // The replica is there once the stack that makes the table has been deployed.
    Stack.of(this).addStackDependency(primary, 'the lock table is made there');
    return replicaOf.#replica(Stack.of(this).region);
  }

  // Made once per Region: CDK has one construct for each.
  #replica(region: string): ITableV2 {
    const replica = this.#replicas.get(region) ?? (this.table as TableV2).replica(region);
    this.#replicas.set(region, replica);
    return replica;
  }
}

function primaryOf(replicaOf: unknown): LockService {
  if (replicaOf instanceof LockService) return replicaOf;
  throw refusal(
    'replicaOf',
    'must be a LockService of this package',
    replicaOf,
    'Give the one that has multiRegion, or leave it out for a table of its own.',
  );
}
