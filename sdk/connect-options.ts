import { type Addresses, addressesOf, isLoopback } from './api-addresses.ts';
import { type CommonOptions, checkCommonOptions } from './common-options.ts';
import type { AuthorizationSource, Credentials, CredentialsSource } from './credentials.ts';
import { IllegalArgumentError } from './errors.ts';
import type { TraceparentSource } from './http/traceparent.ts';
import { checkObject, shown } from './options.ts';

/**
 * How a factory reaches its service, and the defaults of its locks.
 *
 * @example LockFactory.connect({ url: 'https://….execute-api.eu-central-1.amazonaws.com', credentials, leaseMs: 10_000 });
 * @example LockFactory.connect({ url, authorization: async () => `Bearer ${await accessToken()}` });
 * @example
 * LockFactory.connect({
 *   urls: {
 *     'eu-central-1': 'https://….execute-api.eu-central-1.amazonaws.com', // preferred
 *     'eu-west-1': 'https://….execute-api.eu-west-1.amazonaws.com',
 *   },
 * });
 */
export interface ConnectOptions extends CommonOptions {
  /** Address of the API, `https://…` as the deployment prints it; a path before `/v1` is kept. Either this or `urls`. */
  readonly url?: string;
  /**
   * Addresses of the APIs over one multi-Region strongly consistent table, by Region, the preferred first. Requests are
   * signed for the Region that they go to. After an unknown outcome the next request goes to the next Region; one that
   * failed is tried again after 30 s. Either this or `url`.
   */
  readonly urls?: Readonly<Record<string, string>>;
  /** AWS credentials, or what gives them, asked before each request. Given: requests are signed (Signature Version 4). Default: none. */
  readonly credentials?: CredentialsSource;
  /**
   * Gives the value of the `Authorization` header, for an API with a JWT authorizer; asked before each request. It goes
   * over https only, or to this machine. Either this or `credentials`. Default: none.
   */
  readonly authorization?: AuthorizationSource;
  /** AWS Region of the API at `url`. Default: from the host name, else HOLDFAST_REGION, AWS_REGION or AWS_DEFAULT_REGION. */
  readonly region?: string;
  /**
   * Gives the W3C `traceparent` that goes with each request and stands in the functions' logs, or nothing. The entry
   * `holdfast/opentelemetry` has one. Default: none.
   */
  readonly traceparent?: TraceparentSource;
}

/**
 * Checks the options of a connection and reads the addresses.
 *
 * @throws IllegalArgumentError naming the option, what is allowed and what was got
 */
export function checkConnectOptions(options: ConnectOptions): Addresses {
  checkObject(options, 'connect takes an object with the url of the API');
  const { url, urls, region, credentials, authorization, traceparent, ...common } = options;
  checkCommonOptions(common);
  checkCredentials(credentials);
  if (traceparent !== undefined && typeof traceparent !== 'function') {
    throw new IllegalArgumentError(`traceparent must be a function, got ${shown(traceparent)}`);
  }
  const addresses = addressesOf({ url, urls, region });
  if (authorization !== undefined) checkAuthorization(options, addresses);
  return addresses;
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

// None of the errors shows the value: who gives the header itself in place of a function has put a secret there.
function checkAuthorization({ authorization, credentials }: ConnectOptions, addresses: Addresses): void {
  if (typeof authorization !== 'function') {
    throw new IllegalArgumentError(
      `authorization must be a function that gives a header, got a ${typeof authorization}`,
    );
  }
  if (credentials !== undefined) {
    throw new IllegalArgumentError('connect takes credentials, to sign requests, or authorization, got both');
  }
  const open = addresses.find(({ url }) => url.protocol !== 'https:' && !isLoopback(url));
  if (open) {
    throw new IllegalArgumentError(
      `authorization goes over https only, or to this machine: whoever reads the header may use it; got http://${open.url.host}`,
    );
  }
}
