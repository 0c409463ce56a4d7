import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Database, openDatabase } from './database.ts';
import { loadFunctions, setEnvironment } from './functions.ts';
import { createGateway } from './gateway/gateway.ts';
import type { Options } from './options.ts';
import { StartError } from './start-error.ts';
import { ensureTable } from './table.ts';

/** A lock service that runs on this machine. */
export interface LocalStack {
  /** Where the API is, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Stops within two seconds: short requests end, waiting ones are answered 503, the database is closed. */
  stop(): Promise<void>;
}

// How long requests under way may take to end by themselves, and then to be told that the stack stops, milliseconds.
const graceMs = 300;
const farewellMs = 300;

/**
 * Starts the database, the functions and the API. Sets environment variables of this process, which can have one local
 * stack only.
 *
 * @param report told, as text for people, when a function throws
 * @throws StartError saying why it cannot start
 */
export async function startLocalStack(options: Options, report: (text: string) => void): Promise<LocalStack> {
  const database = await openDatabase(options.place);
  try {
    const { endpoint } = database;
    const { table } = setEnvironment(process.env, { endpoint, authorization: options.authorization });
    // One after the other: while functions load nothing else runs, but the time-out for connecting does.
    const functions = await loadFunctions();
    await ensureTable(endpoint, table);
    const stopping = new AbortController();
    const server = createGateway({
      functions,
      host: options.host,
      authorization: options.authorization,
      stopping: stopping.signal,
      ...options.limits,
      report: (name, error) => report(`the function ${name} failed: ${error instanceof Error ? error.stack : error}`),
    });
    await listen(server, options);
    return { url: urlOf(server, options.host), stop: () => stop(server, stopping, database) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function listen(server: Server, { host, port }: Options): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new StartError(listenFault(error as NodeJS.ErrnoException, host, port));
  }
}

function listenFault({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is taken by another program; stop it, or choose another port with --port (0: any free one)`;
    case 'EACCES':
      return `port ${port} of ${host} may not be used by this user; choose one above 1023 with --port`;
    default:
      return `cannot listen on ${host} (${message}); --host must be an address or a name of this machine`;
  }
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  // Every address of this machine includes the loopback one, and a URL needs one that can be called.
  const callable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${callable.includes(':') ? `[${callable}]` : callable}:${port}`;
}

async function stop(server: Server, stopping: AbortController, database: Database): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()));
  server.closeIdleConnections();
  const farewell = setTimeout(() => stopping.abort(), graceMs);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs + farewellMs);
  await closed;
  clearTimeout(farewell);
  clearTimeout(cut);
  await database.close();
}
