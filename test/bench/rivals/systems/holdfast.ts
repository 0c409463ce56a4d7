import type { LockFactory } from '../../../../sdk/index.ts';
import { built } from '../built.ts';
import type { LockClient, LockSystem } from '../lock-system.ts';

/** Holdfast inside the process, straight over the table. */
export const holdfastEmbedded: LockSystem = {
  name: 'Holdfast embedded',
  kind: 'holdfast',
  sdk: 'v3',
  settings: 'connectEmbedded() with its defaults',
  renewsAfterPart: 1 / 3,
  tunes: ['leaseMs'],
  async connect({ endpoint, table }, { leaseMs } = {}) {
    const { connectEmbedded }: typeof import('../../../../sdk/embedded.ts') = await import(built('embedded'));
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    return clientOf(connectEmbedded({ endpoint, table, credentials, leaseMs }));
  },
};

/** Holdfast over the API, which runs in a process of its own. */
export const holdfastOverHttp: LockSystem = {
  name: 'Holdfast over HTTP',
  kind: 'holdfast',
  sdk: 'http',
  settings: 'LockFactory.connect() with its defaults, to the local stack: the functions’ own handlers behind HTTP',
  renewsAfterPart: 1 / 3,
  tunes: ['leaseMs'],
  async connect({ url }, { leaseMs } = {}) {
    const { LockFactory }: typeof import('../../../../sdk/index.ts') = await import(built('index'));
    return clientOf(LockFactory.connect({ url, leaseMs }));
  },
};

function clientOf(locks: LockFactory): LockClient {
  return {
    async lock(lockId) {
      const lock = locks.createLock(lockId);
      await lock.lock();
      return { fencingToken: String(lock.fencingToken), release: () => lock.unlock() };
    },
    async close() {
      await locks.dispose();
    },
  };
}
