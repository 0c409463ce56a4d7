import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { encodeLockId } from '../../sdk/wire/lock-id.ts';
import { fillPath, routes } from '../../sdk/wire/routes.ts';
import { departureFromDocument } from '../support/documented-answer.ts';
import { type LocalStackProcess, startLocalStack } from '../support/local-stack.ts';
import { type Generated, requests, tokens } from './requests.ts';

/** Sends a request as bytes, its path as it is but for what a request line cannot hold. */
async function send(url: string, { operation, sent }: Generated) {
  const route = routes[operation];
  const segment = sent.segment === undefined ? encodeLockId(sent.lockId ?? 'a') : encodeURIComponent(sent.segment);
  const query = sent.query ? `?${new URLSearchParams(sent.query)}` : '';
  const { contentType = 'application/json' } = sent;
  const text = typeof sent.body === 'object' ? JSON.stringify(sent.body) : (sent.body ?? '');
  const { hostname, port } = new URL(url);
  const outgoing = httpRequest({
    hostname,
    port,
    method: route.method,
    path: fillPath(route, segment) + query,
    headers: contentType === null ? {} : { 'content-type': contentType },
  });
  outgoing.end(sent.isBase64Encoded ? Buffer.from(text, 'base64') : text);
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of reply) body += String(chunk);
  return { statusCode: reply.statusCode, headers: reply.headers, body };
}

describe('every route, over sockets and with a database', () => {
  let stack: LocalStackProcess;
  beforeAll(async () => {
    stack = await startLocalStack({ env: { POWERTOOLS_LOG_LEVEL: 'DEBUG' } });
  });
  afterAll(() => stack.stop());

  it('answers 2,000 requests of every kind as its document says, and logs no owner token', async () => {
    const statuses = new Set<number | undefined>();
    // A valid acquire waits in real time, and is left to the handlers' own test.
    const quick = requests.filter(({ operation, expectation }) => operation !== 'acquire' || expectation === 'invalid');
    await fc.assert(
      fc.asyncProperty(quick, async (generated) => {
        const answer = await send(stack.url, generated);
        statuses.add(answer.statusCode);
        const { statusCode = 0, body } = answer;
        if (statusCode === 404 && body === '{"message":"Not Found"}') return;
        if (statusCode >= 500) throw new Error(`the service failed: ${statusCode} ${body}`);
        expect(departureFromDocument(generated.operation, answer)).toBeUndefined();
      }),
      { numRuns: 2_000, seed: 20_000 },
    );
    expect([...statuses].sort()).toEqual([200, 400, 404, 409, 413, 415]);
    for (const token of tokens) expect(stack.output()).not.toContain(token);
  });
});
