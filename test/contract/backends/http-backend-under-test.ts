import { environmentNames } from '../../../lambda/names.ts';
import { LockFactory } from '../../../sdk/index.ts';
import { startDynamoDb } from '../../support/dynamodb.ts';
import { lockOperation } from '../../support/faulty-proxy.ts';
import { startLocalStack } from '../../support/local-stack.ts';
import type { BackendUnderTest, ConnectOptions } from './backend-under-test.ts';
import { DynamoDbItems } from './dynamodb-items.ts';
import type { Step } from './network.ts';
import { type ProxiedNetwork, type Refusals, startProxiedNetwork } from './proxied-network.ts';
import { RivalProcess } from './rival-process.ts';

const steps: Readonly<Record<string, Step>> = {
  try: 'claim',
  acquire: 'join',
  renew: 'renew',
  release: 'release',
  break: 'break',
};

// As the gateway and the functions answer.
const refusals: Refusals = {
  throttled: gatewayAnswer(429, 'Too Many Requests'),
  failed: gatewayAnswer(500, 'Internal Server Error'),
  refused: gatewayAnswer(403, 'Forbidden'),
};

/** The SDK over HTTP: a local stack in a process of its own, over a database that this process can look into. */
export async function startHttpBackend(): Promise<BackendUnderTest> {
  const database = await startDynamoDb({ ownProcess: true });
  const table = await database.createTable();
  const stack = await startLocalStack({
    args: ['--dynamodb', database.endpoint],
    env: { [environmentNames.table]: table, POWERTOOLS_LOG_LEVEL: 'DEBUG' },
  });
  const items = new DynamoDbItems(database.client, table);
  const networks: ProxiedNetwork[] = [];
  const factories: LockFactory[] = [];

  function connect(options: ConnectOptions = {}, url = stack.url): LockFactory {
    const locks = LockFactory.connect({ url, ...options });
    factories.push(locks);
    return locks;
  }

  return {
    connect: (options) => connect(options),
    async connectOver(options) {
      const network = await startProxiedNetwork(
        stack.url,
        (request) => steps[lockOperation(request)] ?? 'look',
        refusals,
      );
      networks.push(network);
      return { locks: connect(options, network.endpoint), network };
    },
    isRemote: true,
    // The service waits for it.
    looksPerSecond: 0,
    startRival: () => RivalProcess.start({ kind: 'http', url: stack.url }),
    rawItem: (lockId) => items.read(lockId),
    seed: (seeds) => items.seed(seeds),
    deleteItem: (lockId) => items.delete(lockId),
    log: () => stack.output(),
    async close() {
      for (const network of networks) {
        network.setRule();
        network.dropConnections();
      }
      await Promise.all(factories.map((locks) => locks.dispose({ timeoutMs: 0 })));
      await Promise.all(networks.map((network) => network.stop()));
      await stack.stop();
      await database.stop();
    },
  };
}

function gatewayAnswer(status: number, message: string) {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ message }) };
}
