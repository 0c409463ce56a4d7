import { Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { HttpApi, HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { FunctionName } from '../sdk/wire/routes.ts';
import { type ConcurrencyProps, concurrencyOf } from './concurrency.ts';
import { bundledFunctionCode, type FunctionCode } from './function-code.ts';
import { createLockApi } from './lock-api.ts';
import { createLockFunction } from './lock-function.ts';
import { createLockTable } from './lock-table.ts';
import { createMonitoring, type MonitoringProps } from './monitoring.ts';
import { serviceName } from './service-name.ts';
import { type ThrottleProps, throttlesOf } from './throttles.ts';
import { useArns } from './use-arns.ts';

export interface LockServiceProps extends ConcurrencyProps, ThrottleProps, MonitoringProps {
  /**
   * The code of the functions.
   *
   * @default - the bundles that the build makes
   */
  readonly functionCode?: FunctionCode;
}

/**
 * A lock service: a table, three functions and an HTTP API whose every route IAM authorizes.
 *
 * Never change the construct's id or the scopes above it once deployed: the table would be replaced by an empty one
 * while programs still hold locks of the old.
 *
 * @example
 * const locks = new LockService(this, 'Locks');
 * locks.grantUse(worker);
 */
export class LockService extends Construct {
  readonly table: TableV2;
  readonly functions: Readonly<Record<FunctionName, LambdaFunction>>;
  readonly api: HttpApi;
  readonly stage: HttpStage;

  constructor(scope: Construct, id: string, props: LockServiceProps = {}) {
    super(scope, id);
    const code = props.functionCode ?? ((name) => bundledFunctionCode(name));
    const concurrency = concurrencyOf(props);
    const throttles = throttlesOf(props, concurrency);
    const table = createLockTable(this);
    const create = (name: FunctionName) =>
      createLockFunction(this, name, { table, code, reservedConcurrency: concurrency.reserved[name] });

    this.table = table;
    this.functions = { acquire: create('acquire'), lease: create('lease'), admin: create('admin') };
    const { api, stage } = createLockApi(this, this.functions, throttles);
    this.api = api;
    this.stage = stage;
    createMonitoring(this, { service: serviceName(this), api, functions: this.functions, table }, props);
  }

  /** Where clients connect to, without a slash at the end. */
  get url(): string {
    // The stage's own `url` ends in a slash, and a path put behind it would have two.
    return this.api.apiEndpoint;
  }

  /**
   * Lets a principal take, renew, release and look at every lock, but neither list them nor break one.
   *
   * @throws Error when the principal is known to be of another account: an HTTP API has no policy of its own that could
   *   let it in, so it must assume a role of this account; or when no policy can be attached to the principal
   */
  grantUse(grantee: IGrantable): Grant {
    const { account } = Stack.of(this);
    const { principalAccount } = grantee.grantPrincipal;
    if (
      principalAccount !== undefined &&
      Token.compareStrings(principalAccount, account) === TokenComparison.DIFFERENT
    ) {
      throw new Error(
        `grantUse: the principal is of account ${principalAccount}, the lock service of ${account}. ` +
          "Grant it to a role of the lock service's account, and let the principal assume that role.",
      );
    }
    const grant = Grant.addToPrincipal({
      grantee,
      actions: ['execute-api:Invoke'],
      resourceArns: useArns(this.api, this.stage.stageName),
    });
    // A principal that no policy can be attached to would otherwise be granted nothing, in silence.
    grant.assertSuccess();
    return grant;
  }
}
