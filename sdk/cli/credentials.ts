import { execFile } from 'node:child_process';
import type { Credentials } from '../index.ts';
import { environment } from './environment.ts';

interface Found extends Credentials {
  /** When they end; nothing: not known. */
  readonly expiration?: Date;
}

// Fetched anew before they end: a request signed with credentials that end meanwhile is refused.
const earlyMs = 5 * 60_000;
const commandTimeoutMs = 20_000;

/**
 * Gives AWS credentials as AWS's own tools find them: profiles, single sign-on, container and instance roles; else what
 * `aws configure export-credentials` prints. Nothing is loaded before the first request.
 */
export function awsCredentials(): () => Promise<Credentials> {
  let found: Promise<Found> | undefined;
  return async () => {
    const { expiration } = (await found?.catch(() => undefined)) ?? {};
    if (expiration && expiration.getTime() - Date.now() < earlyMs) found = undefined;
    found ??= findCredentials();
    try {
      return await found;
    } catch (error) {
      found = undefined;
      throw error;
    }
  };
}

async function findCredentials(): Promise<Found> {
  let reason: unknown;
  try {
    const { fromNodeProviderChain } = await import('@aws-sdk/credential-providers');
    return await fromNodeProviderChain()();
  } catch (error) {
    reason = error;
  }
  try {
    return await exportedCredentials();
  } catch {
    throw new Error(
      'no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or let the AWS SDK find some ' +
        `(AWS_PROFILE, single sign-on, a role; it said: ${(reason as Error).message}), or make "aws configure export-credentials" work`,
    );
  }
}

// What it prints is a secret, so no error shows it.
function exportedCredentials(): Promise<Found> {
  return new Promise((resolve, reject) => {
    const args = ['configure', 'export-credentials', '--format', 'process'];
    execFile('aws', args, { timeout: commandTimeoutMs, env: environment.with({}) }, (error, stdout) => {
      const credentials = error ? undefined : credentialsIn(stdout);
      if (credentials) resolve(credentials);
      else reject(new Error('aws configure export-credentials gave none'));
    });
  });
}

function credentialsIn(json: string): Found | undefined {
  try {
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = JSON.parse(json) as Record<string, string>;
    if (!AccessKeyId || !SecretAccessKey) return undefined;
    return {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      ...(SessionToken && { sessionToken: SessionToken }),
      ...(Expiration && { expiration: new Date(Expiration) }),
    };
  } catch {
    return undefined;
  }
}
