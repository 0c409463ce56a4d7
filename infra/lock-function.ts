import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { environmentNames } from '../lambda/names.ts';
import type { Concurrency } from '../lambda/throttles.ts';
import type { FunctionName } from '../sdk/wire/routes.ts';
import type { FunctionCode } from './function-code.ts';
import { serviceName } from './service-name.ts';

interface Settings {
  /** The construct's id. */
  readonly id: string;
  readonly description: string;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  /** Exactly what the function calls, on the lock table alone. */
  readonly tableActions: readonly string[];
}

const settings: Readonly<Record<FunctionName, Settings>> = {
  acquire: {
    id: 'Acquire',
    description: 'Takes locks, waiting in line for them',
    // A waiting request does next to nothing, and is billed memory times the wall-clock time of its wait.
    memoryMb: 128,
    // One second less than the gateway waits, so that it is the function that ends a request, with an answer.
    timeoutSeconds: 28,
    tableActions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
  },
  lease: {
    id: 'Lease',
    description: 'Tries, renews and releases locks',
    // Processor time comes with memory. These calls are short, and every one is in somebody's way.
    memoryMb: 256,
    // The DynamoDB client answers or gives up within about 5 s; a refused write is followed by another call.
    timeoutSeconds: 10,
    tableActions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
  },
  admin: {
    id: 'Admin',
    description: 'Shows, lists and breaks locks',
    // A page of the list may hold 1,000 items.
    memoryMb: 256,
    timeoutSeconds: 10,
    tableActions: ['dynamodb:GetItem', 'dynamodb:Scan', 'dynamodb:UpdateItem'],
  },
};

const acknowledgements = [
  {
    id: 'Serverless-LambdaDLQ',
    reason: 'API Gateway invokes the function synchronously: there is no event to keep when it fails.',
  },
  {
    id: 'Serverless-LambdaTracing',
    reason:
      'One function and one table: the access log and the metrics already tell where time goes, without the price.',
  },
];

export interface LockFunctionProps {
  readonly table: ITableV2;
  readonly code: FunctionCode;
  readonly authorization: 'iam' | 'jwt';
  readonly maxLeaseMs: number;
  readonly lineLimit: number;
  readonly logRetention: RetentionDays;
  /** Slots set aside, by function. */
  readonly reservedConcurrency: Concurrency['reserved'];
  /** By function; its own size where there is none. */
  readonly memoryMb: Partial<Record<FunctionName, number>>;
}

/** One of the functions, with a role and a log group of its own. */
export function createLockFunction(scope: Construct, name: FunctionName, props: LockFunctionProps): LambdaFunction {
  const { id, description, timeoutSeconds, tableActions } = settings[name];
  const reservedConcurrentExecutions = props.reservedConcurrency[name];
  const logGroup = new LogGroup(scope, `${id}Logs`, {
    retention: props.logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  // Not the role that CDK would make: that one may create log groups and write to all of them.
  const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  props.table.grant(role, ...tableActions);

  const lambda = new LambdaFunction(scope, id, {
    description,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    code: props.code(name),
    handler: 'index.handler',
    memorySize: props.memoryMb[name] ?? settings[name].memoryMb,
    timeout: Duration.seconds(timeoutSeconds),
    role,
    ...(reservedConcurrentExecutions !== undefined && { reservedConcurrentExecutions }),
    environment: {
      [environmentNames.table]: props.table.tableName,
      [environmentNames.maxLeaseMs]: String(props.maxLeaseMs),
      [environmentNames.lineLimit]: String(props.lineLimit),
      [environmentNames.authorization]: props.authorization,
      [environmentNames.service]: serviceName(scope),
    },
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    // Below this level Lambda writes three lines per call: they would cost more than the lock.
    systemLogLevelV2: SystemLogLevel.WARN,
    applicationLogLevelV2: ApplicationLogLevel.INFO,
  });
  Validations.of(lambda).acknowledge(...acknowledgements);
  return lambda;
}
