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
 * @param givenUrl goes before HOLDFAST_URL
 * @throws IllegalArgumentError when neither is there
 */
export function connectOptionsFromEnvironment(
  givenUrl: string | undefined,
  env: Variables = variables(),
): ConnectOptions {
  const url = givenUrl ?? env['HOLDFAST_URL'];
  if (!url) {
    throw new IllegalArgumentError('HOLDFAST_URL must be the address of the API, got nothing; set it or use connect()');
  }
  const functionName = env['AWS_LAMBDA_FUNCTION_NAME'];
  return {
    url,
    ...(credentialsIn(env) && { credentials: async () => credentialsIn(env) ?? missing() }),
    ...(functionName && { holder: functionName }),
  };
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
