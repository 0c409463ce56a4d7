import { fromEnv } from '../auto.ts';
import type { EventListener, LockFactory } from '../index.ts';
import { environment } from './environment.ts';
import { UsageError } from './usage-error.ts';

export interface ConnectionOptions {
  /** Instead of HOLDFAST_URL. */
  readonly url?: string | undefined;
  readonly onEvent?: EventListener | undefined;
}

/**
 * The locks at `--url` or HOLDFAST_URL. Requests over https are signed, with credentials of the environment or from where
 * AWS's own command finds them; over http only with those of the environment, for AWS has no API there.
 *
 * @throws UsageError without an address, or for one of no use here
 * @throws IllegalArgumentError for an address that is not valid
 */
export async function connectLocks({ url, onEvent }: ConnectionOptions): Promise<LockFactory> {
  if (url !== undefined) environment.url = url;
  const address = environment.url;
  if (address === undefined) {
    throw new UsageError(
      'no address of the locks: set HOLDFAST_URL or give --url (https://… of the API, http://127.0.0.1:3000 of a local one, or dynamodb://TABLE)',
    );
  }
  if (/^\s*memory:/i.test(address)) {
    throw new UsageError(
      'memory: is the memory of one process, which no other command sees; give https://… or dynamodb://TABLE',
    );
  }
  const asksForCredentials = /(^|=)\s*https:/i.test(address) && !environment.hasCredentials;
  return fromEnv({
    ...(onEvent && { onEvent }),
    ...(asksForCredentials && { credentials: (await import('./credentials.ts')).awsCredentials() }),
  });
}
