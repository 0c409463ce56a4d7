import { fromIni, fromNodeProviderChain, fromTemporaryCredentials } from '@aws-sdk/credential-providers';
import type { Credentials } from '../../sdk/index.ts';
import { type Caller, UsageError } from './options.ts';

export type CredentialsProvider = () => Promise<Credentials>;

/** The credentials of the administrator: of a profile, or whatever the AWS SDK finds, the environment first. */
export function administratorCredentials(profile: string | undefined): CredentialsProvider {
  return kept(profile === undefined ? fromNodeProviderChain() : fromIni({ profile }));
}

/** The credentials of another caller. Roles are assumed by the administrator, in the Region of the deployment. */
export function callerCredentials(
  caller: Caller,
  administrator: CredentialsProvider,
  region: string,
): CredentialsProvider {
  if ('profile' in caller) return kept(fromIni({ profile: caller.profile }));
  const assumed = fromTemporaryCredentials({
    params: { RoleArn: caller.role, RoleSessionName: 'holdfast-verification', DurationSeconds: 900 },
    masterCredentials: administrator,
    clientConfig: { region },
  });
  return kept(assumed);
}

const renewBeforeMs = 60_000;

// They are asked for before each request, and assuming a role is a request of its own.
function kept(provider: () => Promise<Credentials & { readonly expiration?: Date }>): CredentialsProvider {
  let last: Awaited<ReturnType<typeof provider>> | undefined;
  return async () => {
    const endsMs = last?.expiration?.getTime() ?? Number.POSITIVE_INFINITY;
    if (last === undefined || endsMs - Date.now() < renewBeforeMs) last = await provider();
    return last;
  };
}

/**
 * Asks for credentials once, so that a run without any ends before it has begun.
 *
 * @throws UsageError saying whose are missing and what to do
 */
export async function checkCredentials(whose: string, provider: CredentialsProvider): Promise<void> {
  try {
    await provider();
  } catch (error) {
    const advice = 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile that has some';
    throw new UsageError(`there are no credentials for ${whose} (${(error as Error).message}); ${advice}`);
  }
}
