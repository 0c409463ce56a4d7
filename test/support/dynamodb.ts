import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand, type DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { createDynamoDbClient } from '../../lambda/store/dynamodb-client.ts';

/** A real database for tests, and the product's own client for it. */
export interface TestDynamoDb {
  readonly endpoint: string;
  /** Whether the database is dynalite, which leaves the item out of a refusal. */
  readonly isDynalite: boolean;
  /** The client that the functions use, with its time-outs and retries. */
  readonly client: DynamoDBClient;
  /** Another client of the same kind, at the same endpoint or at a proxy before it. */
  newClient(endpoint?: string): DynamoDBClient;
  /** Makes a new empty table as the stack has it, and gives its name. */
  createTable(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts dynalite in this process, or in one of its own, or, where `HOLDFAST_TEST_DYNAMODB` names an endpoint, uses that one and leaves it
 * running.
 */
export async function startDynamoDb({ ownProcess = false } = {}): Promise<TestDynamoDb> {
  const given = process.env['HOLDFAST_TEST_DYNAMODB'];
  const embedded = given ? undefined : await (ownProcess ? startDynaliteProcess() : startDynalite());
  const endpoint = given ?? embedded?.endpoint ?? '';
  const clients: DynamoDBClient[] = [];
  const newClient = (at = endpoint) => {
    const client = createDynamoDbClient(localConfig(at));
    clients.push(client);
    return client;
  };
  const client = newClient();
  return {
    endpoint,
    isDynalite: embedded !== undefined,
    client,
    newClient,
    async createTable() {
      const table = `locks-${randomUUID()}`;
      const create = client.send(
        new CreateTableCommand({
          TableName: table,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [{ AttributeName: 'lockId', AttributeType: 'S' }],
          KeySchema: [{ AttributeName: 'lockId', KeyType: 'HASH' }],
        }),
      );
      // On a busy machine the client repeats what took too long, and finds the table made: the name is new, so it is ours.
      await create.catch((error: unknown) => {
        if (!(error instanceof ResourceInUseException)) throw error;
      });
      return table;
    },
    async stop() {
      for (const each of clients) each.destroy();
      await embedded?.stop();
    },
  };
}

// Credentials are given here, so that no test looks for real ones. DynamoDB Local takes letters and digits only.
function localConfig(endpoint: string) {
  return { endpoint, region: 'local', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
}

const options = { createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 };

async function startDynalite() {
  const server = dynalite(options);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise<void>((resolve, reject) => {
        server.close((error?: Error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

// For tests that keep it busy: what it does then takes no time from the test. It ends with its parent, however that ends.
const program = `
const server = require('dynalite')(${JSON.stringify(options)});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
`;

async function startDynaliteProcess() {
  const child = spawn(process.execPath, ['-e', program], {
    cwd: __dirname,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [port] = (await once(child, 'message')) as [number];
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
