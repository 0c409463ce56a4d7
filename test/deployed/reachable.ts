import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { UsageError } from './options.ts';

const connectWithinMs = 10_000;

/**
 * Connects and hangs up, so that a run against an address at which nobody is ends before it has begun. It sends nothing.
 *
 * @throws UsageError when nobody is there, or who is has no right certificate
 */
export async function checkReachable(url: URL): Promise<void> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isTls = url.protocol === 'https:';
  const port = Number(url.port || (isTls ? 443 : 80));
  const socket = isTls ? connectTls({ host, port, servername: host }) : connect({ host, port });
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', { signal: AbortSignal.timeout(connectWithinMs) });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      (error as Error).name === 'AbortError' ? `no answer within ${connectWithinMs / 1_000} s` : code || message;
    throw new UsageError(`--url must be where the API is, got ${url.host}, where nobody can be reached (${why})`);
  } finally {
    socket.destroy();
  }
}
