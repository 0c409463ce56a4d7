import { LockService } from '../lambda/service/lock-service.ts';
import { embeddedTiming } from '../lambda/service/timing.ts';
import { createDynamoDbClient } from '../lambda/store/dynamodb-client.ts';
import { DynamoDbLockStore } from '../lambda/store/dynamodb-lock-store.ts';
import { onReply } from '../lambda/store/reply-dates.ts';
import type { CredentialsSource } from './credentials.ts';
import { regionFromEnvironment } from './environment.ts';
import { ClockCheck } from './in-process/clock-check.ts';
import { ClockGuard } from './in-process/clock-guard.ts';
import { checkEmbeddedOptions, type EmbeddedOptions } from './in-process/embedded-options.ts';
import { InProcessBackend } from './in-process/in-process-backend.ts';
import { processSurroundings } from './in-process/surroundings.ts';
import { LockFactory } from './lock-factory.ts';

export type { EmbeddedOptions } from './in-process/embedded-options.ts';

/**
 * A factory straight over a DynamoDB table: the lock service inside this process, without API and functions. Nothing is
 * sent. It needs `@aws-sdk/client-dynamodb`, `@aws-sdk/lib-dynamodb` and `@aws-sdk/util-dynamodb` to be installed, and
 * the rights to `dynamodb:GetItem` and `dynamodb:UpdateItem` on the table (`dynamodb:Scan` besides for `list`).
 *
 * Here the clock of this process decides when another's lease is over, so it is compared with the `Date` of DynamoDB's
 * replies, before the first lock is taken, and whenever the clock was set, by one read. Where it is surely off by more than
 * `clockSkewMs` (always found from a second more on), acquiring rejects with {@link ClockSkewError} and leases are not
 * renewed, until it is right again.
 *
 * `dispose()` gives back the connections.
 *
 * @example
 * const locks = connectEmbedded({ table: 'locks', region: 'eu-central-1' });
 * await locks.withLock('orders-42', async ({ fencingToken }) => book(id, { fencingToken }));
 * await locks.dispose();
 *
 * @throws IllegalArgumentError for an option that is not valid
 */
export function connectEmbedded(options: EmbeddedOptions): LockFactory {
  checkEmbeddedOptions(options);
  const { table, region, endpoint, credentials, clockSkewMs = embeddedTiming.clockSkewMs, ...rest } = options;
  const signedFor = region ?? regionFromEnvironment() ?? (endpoint && regionOfLocal(endpoint));
  const client = createDynamoDbClient({
    ...(signedFor && { region: signedFor }),
    ...(endpoint && { endpoint }),
    ...(credentials && { credentials: askedEachTime(credentials) }),
  });
  const clock = new ClockCheck(clockSkewMs);
  onReply(client, processSurroundings.now, clock.learn);
  const store = new DynamoDbLockStore(client, table);
  const service = new LockService(store, processSurroundings, { ...embeddedTiming, clockSkewMs });
  const backend = new InProcessBackend(service, 'embedded', () => client.destroy());
  return new LockFactory(new ClockGuard(backend, clock), rest);
}

// DynamoDB on this machine takes any Region.
function regionOfLocal(endpoint: string): string | undefined {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(endpoint).hostname) ? 'local' : undefined;
}

// The AWS SDK keeps what has no end for ever, and asks again for what has ended. Providers of AWS's own say when it ends.
function askedEachTime(source: CredentialsSource) {
  if (typeof source !== 'function') return source;
  return async () => {
    try {
      return { expiration: new Date(0), ...(await source()) };
    } catch (cause) {
      // Named so that it is known to have happened before anything was sent.
      const message = `the credentials could not be had: ${cause instanceof Error ? cause.message : String(cause)}`;
      throw Object.assign(new Error(message), { name: 'CredentialsProviderError' });
    }
  };
}
