import type { Credentials, CredentialsSource } from './credentials.ts';
import { IllegalArgumentError } from './errors.ts';
import { checkObject, checkOptions, type HoldOptions, holdOptionNames, shown } from './options.ts';
import { checkPrefix } from './prefix.ts';

/** How a factory reaches its service, and the defaults of its locks. */
export interface ConnectOptions extends HoldOptions {
  /** Address of the API, `https://…` as the deployment prints it; a path before `/v1` is kept. */
  readonly url: string;
  /** AWS credentials, or what gives them, asked before each request. Given: requests are signed (Signature Version 4). */
  readonly credentials?: CredentialsSource;
  /** AWS Region of the API. Default: from the host name, else HOLDFAST_REGION, AWS_REGION or AWS_DEFAULT_REGION. */
  readonly region?: string;
  /**
   * Put before every lock id, and taken off again: applications with different prefixes share no lock. End it with a
   * separator, such as `billing/`: with the prefixes `a` and `ab` the ids `bc` and `c` would be one lock. Well-formed text
   * of at most 511 UTF-8 bytes, which count towards the 512 of an id. Default: '', none.
   */
  readonly prefix?: string;
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
  const { url, credentials, region, prefix, unreachableAfterMs, ...hold } = options;
  checkOptions(hold, holdOptionNames);
  if (prefix !== undefined) checkPrefix(prefix);
  if (unreachableAfterMs !== undefined && !(Number.isFinite(unreachableAfterMs) && unreachableAfterMs > 0)) {
    throw new IllegalArgumentError(
      `unreachableAfterMs must be a positive, finite number of milliseconds, got ${shown(unreachableAfterMs)}`,
    );
  }
  if (credentials !== undefined && typeof credentials !== 'function' && !areCredentials(credentials)) {
    throw new IllegalArgumentError(
      'credentials must be an object with the texts accessKeyId, secretAccessKey and, if there is one, sessionToken, or a function',
    );
  }
  if (region !== undefined && !(typeof region === 'string' && /^[a-z0-9-]+$/.test(region))) {
    throw new IllegalArgumentError(`region must be the name of an AWS Region, got ${shown(region)}`);
  }
  return checkUrl(url);
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
