import { LockFactory } from '../../../sdk/index.ts';
import { type FaultyProxy, lockOperation, startFaultyProxy } from '../../support/faulty-proxy.ts';
import { type LocalStackProcess, startLocalStack } from '../../support/local-stack.ts';

export interface StackBehindProxy {
  /** Of the local stack itself. */
  readonly url: string;
  /** Before it, with no rule at the beginning of each test. */
  readonly proxy: FaultyProxy;
  /** Past the proxy. */
  readonly locks: LockFactory;
}

/** A local stack for the tests of this file, by the network as it is and by one that can fail. */
export function stackBehindProxy(started: (stand: StackBehindProxy) => void): void {
  let stack: LocalStackProcess;
  let proxy: FaultyProxy;

  beforeAll(async () => {
    stack = await startLocalStack();
    const { url } = stack;
    proxy = await startFaultyProxy(url, lockOperation);
    started({ url, proxy, locks: LockFactory.connect({ url }) });
  });
  afterEach(() => proxy.setRule());
  afterAll(async () => {
    await proxy.stop();
    await stack.stop();
  });
}
