import { type CommonOptions, checkCommonOptions } from '../common-options.ts';
import { checkCredentials, checkRegion } from '../connect-options.ts';
import type { CredentialsSource } from '../credentials.ts';
import { IllegalArgumentError } from '../errors.ts';
import { checkObject, shown } from '../options.ts';

/**
 * Where the table of locks is, and the defaults of a factory's locks.
 *
 * @example const options: EmbeddedOptions = { table: 'locks', region: 'eu-central-1', leaseMs: 10_000 };
 */
export interface EmbeddedOptions extends CommonOptions {
  /** Name (3 to 255 characters) or ARN of the table: partition key `lockId`, a string, and no sort key. */
  readonly table: string;
  /** AWS Region of the table. Default: HOLDFAST_REGION, AWS_REGION or AWS_DEFAULT_REGION, else the AWS configuration. */
  readonly region?: string;
  /** Address of DynamoDB, `http` or `https`, without path or query. Default: AWS's own in the Region. */
  readonly endpoint?: string;
  /** AWS credentials, or what gives them, asked before each request. Default: where the AWS SDK looks for them. */
  readonly credentials?: CredentialsSource;
  /**
   * How far the clocks of two hosts may disagree, milliseconds, 0 to 10,000; a take-over waits this long past a lease's
   * end. Everybody who uses the table needs the same. 0 is for hosts that share one clock. Default 500, as the service.
   */
  readonly clockSkewMs?: number;
}

const longestSkewMs = 10_000;
const tableRule = 'table must be the name or the ARN of a DynamoDB table';
const tableName = /^[A-Za-z0-9_.-]{3,255}$/;
const tableArn = /^arn:[a-z-]+:dynamodb:[a-z0-9-]+:\d{12}:table\/[A-Za-z0-9_.-]{3,255}$/;

/** @throws IllegalArgumentError naming the option, what is allowed and what was got */
export function checkEmbeddedOptions(options: EmbeddedOptions): void {
  checkObject(options, 'connectEmbedded takes an object with the name of the table');
  const { table, region, endpoint, credentials, clockSkewMs, ...common } = options;
  checkCommonOptions(common);
  if (typeof table !== 'string' || !(tableName.test(table) || tableArn.test(table))) {
    throw new IllegalArgumentError(`${tableRule}, got ${shown(table)}`);
  }
  checkRegion(region);
  checkEndpoint(endpoint);
  checkCredentials(credentials);
  if (
    clockSkewMs !== undefined &&
    !(Number.isInteger(clockSkewMs) && clockSkewMs >= 0 && clockSkewMs <= longestSkewMs)
  ) {
    throw new IllegalArgumentError(
      `clockSkewMs must be a whole number of milliseconds from 0 to ${longestSkewMs}, got ${shown(clockSkewMs)}`,
    );
  }
}

function checkEndpoint(text: unknown): void {
  if (text === undefined) return;
  const rule = 'endpoint must be the http or https address of DynamoDB, without credentials, path, query or fragment';
  if (typeof text !== 'string' || !URL.canParse(text)) throw new IllegalArgumentError(`${rule}, got ${shown(text)}`);
  const { protocol, host, href, origin } = new URL(text);
  if (!/^https?:$/.test(protocol) || href !== `${origin}/`) {
    throw new IllegalArgumentError(`${rule}, got ${protocol}//${host}`);
  }
}
