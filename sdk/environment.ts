import type { ConnectOptions } from './connect-options.ts';
import type { Credentials } from './credentials.ts';
import { IllegalArgumentError } from './errors.ts';

type Variables = Record<string, string | undefined>;

const variables = (): Variables => globalThis.process?.env ?? {};

/** The Region that the environment names, if any. */
export function regionFromEnvironment(env: Variables = variables()): string | undefined {
  return env['HOLDFAST_REGION'] || env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || undefined;
}

/**
 * The connection that the environment describes: `HOLDFAST_URL`, and AWS credentials when there are any. Credentials
 * are read anew before each request, because a runtime may rotate them.
 *
 * @param given addresses go before HOLDFAST_URL, and a header of its own before credentials
 * @throws IllegalArgumentError when there is no address
 */
export function connectOptionsFromEnvironment(
  given: Partial<ConnectOptions>,
  env: Variables = variables(),
): ConnectOptions {
  const isGiven = given.url !== undefined || given.urls !== undefined;
  const isSigned = given.authorization === undefined && credentialsIn(env) !== undefined;
  const functionName = env['AWS_LAMBDA_FUNCTION_NAME'];
  return {
    ...(!isGiven && addressesIn(env['HOLDFAST_URL'])),
    ...(isSigned && { credentials: async () => credentialsIn(env) ?? missing() }),
    ...(functionName && { holder: functionName }),
  };
}

// One address, or `region=address,region=address`: an address alone has its first `=` behind a colon.
function addressesIn(text: string | undefined): Pick<ConnectOptions, 'url' | 'urls'> {
  if (!text) {
    throw new IllegalArgumentError('HOLDFAST_URL must be the address of the API, got nothing; set it or use connect()');
  }
  if (!/^\s*[a-z0-9-]+=/.test(text)) return { url: text };
  const entries = text.split(',').map((part) => {
    const [region = '', ...address] = part.split('=');
    return [region.trim(), address.join('=').trim()] as const;
  });
  const urls = Object.fromEntries(entries);
  if (Object.keys(urls).length < entries.length) throw new IllegalArgumentError('HOLDFAST_URL names a Region twice');
  return { urls };
}

function credentialsIn(env: Variables): Credentials | undefined {
  const accessKeyId = env['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'];
  const sessionToken = env['AWS_SESSION_TOKEN'];
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}

function missing(): never {
  throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are no longer in the environment');
}
