import { connectEmbedded } from '../../../sdk/embedded.ts';
import type { LockFactory } from '../../../sdk/index.ts';
import { startDynamoDb } from '../../support/dynamodb.ts';
import type { BackendUnderTest, ConnectOptions } from './backend-under-test.ts';
import { DynamoDbItems } from './dynamodb-items.ts';
import { dynamoDbRefusals, dynamoDbStep } from './dynamodb-steps.ts';
import { type ProxiedNetwork, startProxiedNetwork } from './proxied-network.ts';
import { RivalProcess } from './rival-process.ts';

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** The SDK straight over a table. */
export async function startEmbeddedBackend(): Promise<BackendUnderTest> {
  const database = await startDynamoDb({ ownProcess: true });
  const table = await database.createTable();
  const items = new DynamoDbItems(database.client, table);
  const networks: ProxiedNetwork[] = [];
  const factories: LockFactory[] = [];

  function connect(options: ConnectOptions = {}, endpoint = database.endpoint): LockFactory {
    const locks = connectEmbedded({ table, endpoint, region: 'local', credentials, ...options });
    factories.push(locks);
    return locks;
  }

  return {
    connect: (options) => connect(options),
    async connectOver(options) {
      const network = await startProxiedNetwork(database.endpoint, dynamoDbStep, dynamoDbRefusals);
      networks.push(network);
      const locks = connect(options, network.endpoint);
      // Before its first lock a process asks once what time it is. What is counted comes after that.
      await locks.inspect('what time is it');
      const before = network.asked.length;
      return {
        locks,
        network: {
          ...network,
          get asked() {
            return network.asked.slice(before);
          },
          replay: (index) => network.replay(before + index),
        },
      };
    },
    isRemote: true,
    // Every 50 ms, half as long to half again as long.
    looksPerSecond: 40,
    startRival: () => RivalProcess.start({ kind: 'embedded', table, endpoint: database.endpoint }),
    rawItem: (lockId) => items.read(lockId),
    seed: (seeds) => items.seed(seeds),
    deleteItem: (lockId) => items.delete(lockId),
    log: () => '',
    async close() {
      for (const network of networks) {
        network.setRule();
        network.dropConnections();
      }
      await Promise.all(factories.map((locks) => locks.dispose({ timeoutMs: 0 })));
      await Promise.all(networks.map((network) => network.stop()));
      await database.stop();
    },
  };
}
