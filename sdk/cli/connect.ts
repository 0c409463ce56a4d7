import { fromEnv } from '../auto.ts';
import type { EventListener, LockFactory } from '../index.ts';
import { environment } from './environment.ts';
import { UsageError } from './usage-error.ts';

export interface ConnectionOptions {
  /** Instead of HOLDFAST_URL. */
  readonly url?: string | undefined;
  readonly onEvent?: EventListener | undefined;
}

const kinds = 'https://… of the API, http://127.0.0.1:3000 of a local one, or dynamodb://TABLE';

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
  if (address === undefined) throw new UsageError(`no address of the locks: set HOLDFAST_URL or give --url (${kinds})`);
  if (/^\s*memory:/i.test(address)) {
    throw new UsageError(
      'memory: is the memory of one process, which no other command sees; give https://… or dynamodb://TABLE',
    );
  }
  // Several Regions are read by the SDK.
  const isList = /^\s*[a-z0-9-]+=/.test(address);
  if (!isList && !(/^(https?|dynamodb):[^\s\p{Cc}]+$/iu.test(address) && URL.canParse(address))) {
    // Nothing that may hold a password is shown.
    const got = /^[\w\s.:/-]{1,200}$/.test(address) ? JSON.stringify(address) : 'another text';
    throw new UsageError(
      `the address of the locks (HOLDFAST_URL, --url) must be ${kinds}, without white space, got ${got}`,
    );
  }
  const asksForCredentials = /(^|=)\s*https:/i.test(address) && !environment.hasCredentials;
  return fromEnv({
    ...(onEvent && { onEvent }),
    ...(asksForCredentials && { credentials: (await import('./credentials.ts')).awsCredentials() }),
  });
}
