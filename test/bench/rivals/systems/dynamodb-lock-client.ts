import DynamoDbV2 from 'aws-sdk/clients/dynamodb';
import { FailClosed, FailOpen, type Lock } from 'dynamodb-lock-client';
import type { Ground, Held, LockClient, LockSystem } from '../lock-system.ts';
import { clientV2 } from './clients.ts';
import { RivalTable } from './rival-table.ts';

const partitionKey = 'id';
export const failClosedTable = new RivalTable('fail-closed', partitionKey);
export const failOpenTable = new RivalTable('fail-open', partitionKey);

/** "fail closed": no lease, so the lock of a process that died is never free again. */
export function failClosed(setting: string, options: { acquirePeriodMs: number; retryCount?: number }): LockSystem {
  return {
    name: `dynamodb-lock-client, fail closed, ${setting}`,
    kind: 'rival',
    sdk: 'v2',
    settings: inWords(options),
    waitsMs: options.acquirePeriodMs,
    tunes: ['pollMs'],
    async connect(ground, { pollMs = options.acquirePeriodMs } = {}) {
      const set = { ...options, acquirePeriodMs: pollMs };
      return connect(ground, failClosedTable, (table) => new FailClosed({ ...table, partitionKey, ...set }));
    },
  };
}

// In its documentation's example the lease is 10 s and the heartbeat comes every 3 s.
const heartbeatsPart = 0.3;

/** "fail open": leases with heartbeats, and fencing tokens. It looks once in a lease. */
export function failOpen(
  setting: string,
  options: { leaseDurationMs: number; trustLocalTime?: boolean; retryCount?: number },
): LockSystem {
  return {
    name: `dynamodb-lock-client, fail open, ${setting}`,
    kind: 'rival',
    sdk: 'v2',
    settings: `${inWords(options)}, heartbeatPeriodMs ${options.leaseDurationMs * heartbeatsPart}`,
    waitsMs: options.leaseDurationMs,
    renewsAfterPart: heartbeatsPart,
    tunes: ['leaseMs'],
    async connect(ground, { leaseMs = options.leaseDurationMs } = {}) {
      const set = { ...options, leaseDurationMs: leaseMs, heartbeatPeriodMs: leaseMs * heartbeatsPart };
      return connect(ground, failOpenTable, (table) => new FailOpen({ ...table, partitionKey, ...set }));
    },
  };
}

function connect(
  ground: Ground,
  table: RivalTable,
  open: (table: { dynamodb: DynamoDbV2.DocumentClient; lockTable: string }) => FailClosed | FailOpen,
): LockClient {
  const { client, close } = clientV2(ground.endpoint);
  const dynamodb = new DynamoDbV2.DocumentClient({ service: client });
  const locks = open({ dynamodb, lockTable: table.nameIn(ground) });
  return {
    async lock(lockId) {
      for (;;) {
        const lock = await acquired(locks, lockId);
        if (lock) return held(lock);
      }
    },
    close: async () => close(),
  };
}

// Nothing when it gave up after its retries: whoever waits on asks again at once.
function acquired(locks: FailClosed | FailOpen, lockId: string): Promise<Lock | undefined> {
  return new Promise((resolve, reject) => {
    locks.acquireLock(lockId, (error, lock) => {
      if (!error) resolve(lock);
      else if (error.code === 'FailedToAcquireLock') resolve(undefined);
      else reject(error);
    });
  });
}

function held(lock: Lock): Held {
  let released = false;
  // A heartbeat that is overtaken by the release is refused, as it should be; any other takes the process with it.
  lock.on('error', (error) => {
    if (!released) throw error;
  });
  return {
    ...(lock.fencingToken !== undefined && { fencingToken: String(lock.fencingToken) }),
    release: () =>
      new Promise((resolve, reject) => {
        released = true;
        lock.release((error) => (error ? reject(error) : resolve()));
      }),
  };
}

function inWords(options: Readonly<Record<string, unknown>>): string {
  return Object.entries(options)
    .map(([name, value]) => `${name} ${value === Number.MAX_SAFE_INTEGER ? 'without end' : value}`)
    .join(', ');
}
