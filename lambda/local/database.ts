import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDynalite } from './dynalite-server.ts';
import type { Place } from './options.ts';

/** A DynamoDB that the functions can use. */
export interface Database {
  readonly endpoint: string;
  /** Ends it; what was answered before is safe on disk. */
  close(): Promise<void>;
}

// Requests under way when the stack stops get this long to end.
const drainMs = 700;

/**
 * Opens the database: dynalite inside this process, or one that runs already.
 *
 * @throws StartError when the data folder cannot be used
 */
export async function openDatabase(place: Place): Promise<Database> {
  if (place.kind === 'endpoint') return { endpoint: place.url, close: async () => {} };
  return serve(await openDynalite(place.kind === 'folder' ? place.path : undefined));
}

async function serve(server: Server): Promise<Database> {
  const open = new Set<ServerResponse>();
  let closing = false;

  // dynalite answers every web page (`Access-Control-Allow-Origin: *`) and checks no signature, and its items hold
  // owner tokens: a browser must not get through to it. It also throws, past every catch, when its database closes
  // in the middle of an operation: so operations end first and no new ones begin.
  const [handle] = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (closing || request.headers.origin !== undefined) {
      request.socket.destroy();
      return;
    }
    open.add(response);
    // An operation ends when dynalite ends its response, which is never "finished" when its client has gone.
    const end = response.end.bind(response);
    response.end = ((...given: Parameters<typeof end>) => {
      open.delete(response);
      return end(...given);
    }) as typeof response.end;
    handle?.call(server, request, response);
    // dynalite throws when a client goes away in the middle of a request.
    request.removeAllListeners('error');
    request.on('error', () => open.delete(response));
  });

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  async function close(): Promise<void> {
    closing = true;
    const deadline = performance.now() + drainMs;
    while (open.size > 0 && performance.now() < deadline) await sleep(5);
    // Whatever is written is in LevelDB's log already: leaving a database open that is still busy loses nothing.
    if (open.size > 0) return;
    const closed = new Promise<void>((done) => server.close(() => done()));
    server.closeAllConnections();
    await closed;
  }

  return { endpoint: `http://127.0.0.1:${port}`, close };
}
