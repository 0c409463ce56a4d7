import type { Credentials, CredentialsSource } from './credentials.ts';
import { IllegalArgumentError } from './errors.ts';
import { checkObject, checkOptions, type HoldOptions, holdOptionNames, shown } from './options.ts';

/** How a factory reaches its service, and the defaults of its locks. */
export interface ConnectOptions extends HoldOptions {
  /** Address of the API, `https://…` as the deployment prints it; a path before `/v1` is kept. */
  readonly url: string;
  /** AWS credentials, or what gives them, asked before each request. Given: requests are signed (Signature Version 4). */
  readonly credentials?: CredentialsSource;
  /** AWS Region of the API. Default: from the host name, else HOLDFAST_REGION, AWS_REGION or AWS_DEFAULT_REGION. */
  readonly region?: string;
  /** Give up, also in `lock()`, after this many milliseconds without any answer. Default 30,000. */
  readonly unreachableAfterMs?: number;
}

/**
 * Checks the options of a connection and reads the address.
 *
 * @throws IllegalArgumentError naming the option, what is allowed and what was got
 */
export function checkConnectOptions(options: ConnectOptions): URL {
  checkObject(options, 'connect takes an object with the url of the API');
  const { url, credentials, region, unreachableAfterMs, ...hold } = options;
  checkOptions(hold, holdOptionNames);
  checkUnreachableAfterMs(unreachableAfterMs);
  checkCredentials(credentials);
  checkRegion(region);
  return checkUrl(url);
}

/** @throws IllegalArgumentError unless it is left out or a positive, finite number of milliseconds */
export function checkUnreachableAfterMs(unreachableAfterMs: unknown): void {
  if (unreachableAfterMs === undefined) return;
  if (!Number.isFinite(unreachableAfterMs) || (unreachableAfterMs as number) <= 0) {
    throw new IllegalArgumentError(
      `unreachableAfterMs must be a positive, finite number of milliseconds, got ${shown(unreachableAfterMs)}`,
    );
  }
}

/** @throws IllegalArgumentError unless they are left out, credentials, or a function that gives them */
export function checkCredentials(credentials: unknown): void {
  if (credentials === undefined || typeof credentials === 'function' || areCredentials(credentials)) return;
  // What was got is not shown: it is a secret, or a part of one.
  throw new IllegalArgumentError(
    'credentials must be an object with the texts accessKeyId, secretAccessKey and, if there is one, sessionToken, or a function',
  );
}

/** @throws IllegalArgumentError unless it is left out or may be the name of an AWS Region */
export function checkRegion(region: unknown): void {
  if (region !== undefined && !(typeof region === 'string' && /^[a-z0-9-]+$/.test(region))) {
    throw new IllegalArgumentError(`region must be the name of an AWS Region, got ${shown(region)}`);
  }
}

function areCredentials(value: unknown): boolean {
  const { accessKeyId, secretAccessKey, sessionToken = '-' } = (value ?? {}) as Partial<Credentials>;
  return [accessKeyId, secretAccessKey, sessionToken].every((text) => typeof text === 'string' && text !== '');
}

function checkUrl(text: unknown): URL {
  const rule = 'url must be the http or https address of the API, without credentials, query or fragment';
  if (typeof text !== 'string' || !URL.canParse(text)) throw new IllegalArgumentError(`${rule}, got ${shown(text)}`);
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new IllegalArgumentError(`${rule}, got ${url.protocol}//${url.host}${url.pathname}`);
  }
  return url;
}
