import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { type Database, openDatabase } from '../../../../lambda/local/database.ts';
import { ensureTable } from '../../../../lambda/local/table.ts';
import { createDynamoDbClient } from '../../../../lambda/store/dynamodb-client.ts';

const credentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local', AWS_REGION: 'us-east-1' };
const environment = { ...process.env };
const databases: Database[] = [];
let folder: string;

beforeAll(() => {
  Object.assign(process.env, credentials);
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-'));
});

afterEach(async () => {
  for (const database of databases.splice(0)) await database.close();
  await rm(folder, { recursive: true });
});

afterAll(() => {
  process.env = environment;
});

async function open(path: string): Promise<Database> {
  const database = await openDatabase({ kind: 'folder', path });
  databases.push(database);
  return database;
}

const key = { lockId: { S: 'orders-42' } };

test('what was written to a folder is there when it is opened again', async () => {
  const first = await openDatabase({ kind: 'folder', path: folder });
  await ensureTable(first.endpoint, 'locks');
  const writer = createDynamoDbClient({ endpoint: first.endpoint });
  await writer.send(new PutItemCommand({ TableName: 'locks', Item: { ...key, fence: { N: '7' } } }));
  writer.destroy();
  await first.close();

  const second = await open(folder);
  await ensureTable(second.endpoint, 'locks');
  const reader = createDynamoDbClient({ endpoint: second.endpoint });
  const { Item } = await reader.send(new GetItemCommand({ TableName: 'locks', Key: key }));
  reader.destroy();
  expect(Item).toEqual({ ...key, fence: { N: '7' } });
});

test('a folder is made where there is none, with those above it', async () => {
  const { endpoint } = await open(join(folder, 'a', 'b'));
  expect((await fetch(endpoint)).status).toBe(200);
});

test('a folder that cannot be made is refused at once, also where the system only says that it is not there', async () => {
  for (const path of ['/proc/holdfast', '/proc/holdfast/data']) {
    await expect(open(path)).rejects.toThrow(/^cannot write to the data folder \/proc\/holdfast.*give --data another/);
  }
  const file = join(folder, 'file');
  await writeFile(file, '');
  for (const path of [file, join(file, 'data')]) {
    await expect(open(path)).rejects.toThrow(/^--data must be a folder, got a file in the way of /);
  }
});

test('a database closes cleanly while it is being written to', async () => {
  const database = await openDatabase({ kind: 'folder', path: folder });
  await ensureTable(database.endpoint, 'locks');
  const client = createDynamoDbClient({ endpoint: database.endpoint });
  const put = () => client.send(new PutItemCommand({ TableName: 'locks', Item: key }));
  await put();
  const writes = Promise.allSettled(Array.from({ length: 200 }, put));
  await database.close();
  await writes;
  client.destroy();
  await expect(open(folder)).resolves.toMatchObject({ endpoint: expect.any(String) });
});

test('clients that go away in the middle of a request or of an operation harm nothing', async () => {
  const { endpoint, close } = await openDatabase({ kind: 'folder', path: folder });
  await ensureTable(endpoint, 'locks');
  const port = Number(new URL(endpoint).port);
  const half = createConnection(port, '127.0.0.1');
  half.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n{');
  await once(half, 'connect');
  half.destroy();
  const client = createDynamoDbClient({ endpoint });
  const writes = Array.from({ length: 20 }, () => client.send(new PutItemCommand({ TableName: 'locks', Item: key })));
  client.destroy();
  await Promise.allSettled(writes);
  await close();
  await expect(open(folder)).resolves.toMatchObject({ endpoint: expect.any(String) });
});

test('a page in a browser gets nothing out of the database', async () => {
  const { endpoint } = await open(folder);
  const origin = { origin: 'https://evil.example' };
  await expect(fetch(endpoint, { method: 'POST', headers: origin })).rejects.toThrow('fetch failed');
  await expect(fetch(endpoint, { method: 'OPTIONS', headers: origin })).rejects.toThrow('fetch failed');
});

test('a folder that another stack has open is refused', async () => {
  await open(folder);
  await expect(open(folder)).rejects.toThrow(
    `the data folder ${folder} is in use by another local stack; stop that one`,
  );
});

test('of several that open a folder at once, one has it and the others are told', async () => {
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => open(folder)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  for (const reason of reasons) expect(reason).toContain('is in use by another local stack');
  const [database] = databases;
  await ensureTable(database?.endpoint ?? '', 'locks');
});

test('a file where the folder should be is refused', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  await expect(open(file)).rejects.toThrow(`--data must be a folder, got a file in the way of ${file}`);
  await expect(open(join(file, 'below'))).rejects.toThrow('--data must be a folder, got a file in the way of');
});

test('an address where no DynamoDB is, is refused', async () => {
  const { endpoint, close } = await openDatabase({ kind: 'memory' });
  await close();
  await expect(ensureTable(endpoint, 'locks')).rejects.toThrow(
    new RegExp(`^cannot use the DynamoDB at ${endpoint} \\(.+\\); start it, or leave out --dynamodb`),
  );
});

test('several at once may ask for the table', async () => {
  const { endpoint } = await open(folder);
  await Promise.all(Array.from({ length: 5 }, () => ensureTable(endpoint, 'locks')));
});
