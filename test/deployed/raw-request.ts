import { once } from 'node:events';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { SignatureV4 } from '@smithy/signature-v4';
import { Sha256 } from '../../lambda/local/gateway/sha256.ts';
import type { Credentials } from '../../sdk/index.ts';

// Not `fetch`: it would tidy the path up before it sends it.

/** A request with its path exactly as it goes on the wire. */
export interface RawRequest {
  readonly method: string;
  /** From `/v1` on. */
  readonly path: string;
  /** Without the `?`. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sent in place of `body`, which is what the signature covers. */
  readonly sentBody?: string;
}

/** How to sign: by whom, and what is wrong with it on purpose. */
export interface Signing {
  readonly credentials: Credentials;
  readonly region: string;
  readonly service?: string;
  readonly date: Date;
}

export interface RawReply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

const agents = {
  'http:': new HttpAgent({ keepAlive: true, maxSockets: 200 }),
  'https:': new HttpsAgent({ keepAlive: true, maxSockets: 200 }),
};

/** Closes the connections that are kept for the next request. */
export function closeConnections(): void {
  for (const agent of Object.values(agents)) agent.destroy();
}

/** Sends a request, signed or not, and reads the answer. Rejects when the signal aborts. */
export async function sendRaw(
  base: URL,
  request: RawRequest,
  signing: Signing | undefined,
  signal: AbortSignal,
): Promise<RawReply> {
  const { method, query, body, sentBody = body } = request;
  const path = `${base.pathname.replace(/\/+$/, '')}${request.path}`;
  const plain = { ...(body !== undefined && { 'content-type': 'application/json' }), ...request.headers };
  const headers = { ...plain, host: base.host };
  const signed = signing === undefined ? headers : await signedHeaders({ method, path, query, headers, body }, signing);
  const protocol = base.protocol as keyof typeof agents;
  const send = protocol === 'https:' ? httpsRequest : httpRequest;
  const sent = send({
    method,
    hostname: base.hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(base.port !== '' && { port: base.port }),
    path: query === undefined ? path : `${path}?${query}`,
    headers: {
      ...signed,
      ...(sentBody !== undefined && { 'content-length': String(Buffer.byteLength(sentBody)) }),
    },
    agent: agents[protocol],
    signal,
  });
  sent.end(sentBody);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) };
}

/** What a signature covers. */
export interface Signable {
  readonly method: string;
  readonly path: string;
  readonly query: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Signs with AWS's own signer: it takes a path as it is, where the SDK's would read it as a URL first. */
export async function signedHeaders(
  { method, path, query, headers, body }: Signable,
  signing: Signing,
): Promise<Record<string, string>> {
  const { credentials, region, service = 'execute-api', date } = signing;
  const signer = new SignatureV4({ credentials, region, service, sha256: Sha256, applyChecksum: false });
  const signable = {
    method,
    protocol: 'https:',
    hostname: headers['host'] ?? '',
    path,
    query: Object.fromEntries(new URLSearchParams(query ?? '')),
    headers: { ...headers },
    ...(body !== undefined && { body }),
  };
  return (await signer.sign(signable, { signingDate: date })).headers;
}
