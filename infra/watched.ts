import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { FunctionName } from '../sdk/wire/routes.ts';

/** A table of whatever kind. */
export type WatchedTable = Pick<ITableV2, 'tableName' | 'metric'>;

/** The parts of a lock service that are watched. */
export interface Watched {
  /** The deployment's name in metrics. */
  readonly service: string;
  readonly api: HttpApi;
  readonly functions: Readonly<Record<FunctionName, LambdaFunction>>;
  readonly table: WatchedTable;
}
