import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP endpoint that gives one and the same answer, or none, to whoever asks. */
export interface ScriptedEndpoint {
  readonly endpoint: string;
  /** How many requests came in. */
  count(): number;
  stop(): Promise<void>;
}

/** Starts one. Without an answer it takes requests and stays silent. */
export async function startScriptedEndpoint(answer?: { status: number; body: string }): Promise<ScriptedEndpoint> {
  let count = 0;
  const server = createServer((request, response) => {
    count++;
    request.resume();
    if (answer) response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
