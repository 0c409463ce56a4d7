import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What whoever asks is answered; `silence`: nothing, `reset`: nothing, and the connection ends. */
export type ScriptedAnswer = { readonly status: number; readonly body: string } | 'silence' | 'reset';

/** An HTTP endpoint that gives one and the same answer, or none, to whoever asks. */
export interface ScriptedEndpoint {
  readonly endpoint: string;
  /** May be changed between requests. */
  answer: ScriptedAnswer;
  /** How many requests came in. */
  count(): number;
  /** The headers of the last request. */
  lastHeaders(): IncomingHttpHeaders;
  stop(): Promise<void>;
}

/** Starts one. */
export async function startScriptedEndpoint(answer: ScriptedAnswer = 'silence'): Promise<ScriptedEndpoint> {
  let count = 0;
  let lastHeaders: IncomingHttpHeaders = {};
  const server = createServer((request, response) => {
    count++;
    lastHeaders = request.headers;
    request.resume();
    const { answer } = scripted;
    if (answer === 'reset') request.socket.destroy();
    else if (answer !== 'silence') {
      response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(answer.body);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const scripted: ScriptedEndpoint = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer,
    count: () => count,
    lastHeaders: () => lastHeaders,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return scripted;
}
