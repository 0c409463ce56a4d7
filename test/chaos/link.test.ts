import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../support/until.ts';
import { ItemVersions } from './run/network/item-versions.ts';
import { type Forwarded, Link, type LinkFault } from './run/network/link.ts';

// A server that answers with the number of the request, behind a link with one fault that meets every request.
let seen: string[];
let forwarded: Forwarded[];
let link: Link;
let versions: ItemVersions;
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  seen.push(body);
  const item = { Item: { rev: { N: String(seen.length) } } };
  response.end(JSON.stringify(request.headers['x-amz-target'] ? item : seen.length));
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

beforeEach(async () => {
  seen = [];
  forwarded = [];
  versions = new ItemVersions();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  link = await Link.start({
    name: 'link',
    upstream: () => url,
    random: () => 0.6,
    watch: (_exchange, what) => forwarded.push(what),
    versions,
  });
});

afterEach(() => link.stop());

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function send(body = 'hello', headers: Record<string, string> = {}): Promise<string> {
  const signal = AbortSignal.timeout(5_000);
  const response = await fetch(link.endpoint, { method: 'POST', body, headers, signal });
  return `${response.status} ${await response.text()}`;
}

const whole = { share: 1 };
const answers = [{ status: 503, headers: {}, body: 'away' }];

describe('a link', () => {
  it('passes requests and replies on when it has no fault', async () => {
    expect(await send()).toBe('200 1');
    expect(seen).toEqual(['hello']);
    expect(forwarded).toMatchObject([{ id: 'link:1', isDelivered: true }]);
    expect(link.struck).toEqual(new Map());
  });

  it('meets only its share of the requests', async () => {
    link.begin({ kind: 'drop-request', share: 0.6 });
    expect(await send()).toBe('200 1');
    link.begin({ kind: 'drop-request', share: 0.61 });
    await expect(send()).rejects.toThrow('fetch failed');
  });

  it('heals', async () => {
    const heal = link.begin({ kind: 'drop-request', ...whole });
    await expect(send()).rejects.toThrow('fetch failed');
    heal();
    expect(await send()).toBe('200 1');
    expect(link.struck).toEqual(new Map([['drop-request', 1]]));
  });

  it('lets no fault strike while it is shielded', async () => {
    link.begin({ kind: 'drop-request', ...whole });
    expect(await link.shielded(() => send())).toBe('200 1');
    await expect(send()).rejects.toThrow('fetch failed');
  });

  it.each<[LinkFault, string, number]>([
    [{ kind: 'drop-request', ...whole }, 'fetch failed', 0],
    [{ kind: 'drop-reply', ...whole }, 'fetch failed', 1],
    [{ kind: 'answer', ...whole, answers }, '503 away', 0],
    [{ kind: 'answer-after', ...whole, answers }, '503 away', 1],
    [{ kind: 'delay', ...whole, ms: 10 }, '200 1', 1],
  ])('makes of a request, by %j, what is promised', async (fault, answer, arrived) => {
    link.begin(fault);
    expect(await send().catch((error: Error) => error.message)).toBe(answer);
    expect(seen).toHaveLength(arrived);
    expect(forwarded.map(({ isDelivered }) => isDelivered)).toEqual(arrived ? [answer === '200 1'] : []);
  });

  it.each([
    ['black-hole', 0],
    ['mute', 1],
  ] as const)('leaves the client of a %s without an answer and without a reset', async (kind, arrived) => {
    link.begin({ kind, ...whole });
    const sent = send();
    await until('it struck', () => link.struck.get(kind) === 1 && forwarded.length === arrived);
    const answer = await Promise.race([sent, new Promise((resolve) => setTimeout(resolve, 100, 'nothing'))]);
    expect(answer).toBe('nothing');
    expect(seen).toHaveLength(arrived);
    await link.stop();
    await expect(sent).rejects.toThrow('fetch failed');
  });

  it('delivers a duplicate once more, whose reply nobody hears', async () => {
    link.begin({ kind: 'duplicate', ...whole, ms: 20 });
    expect(await send()).toBe('200 1');
    await until('the copy was answered', () => forwarded.length === 2);
    expect(seen).toEqual(['hello', 'hello']);
    expect(forwarded.map(({ isDelivered, copyOf }) => ({ isDelivered, copyOf }))).toEqual([
      { isDelivered: true, copyOf: undefined },
      { isDelivered: false, copyOf: forwarded[0]?.id },
    ]);
  });

  it('springs its trap at the next write, once the server has answered', async () => {
    const trapped = new Promise<void>((resolve) => link.trapWrite(resolve));
    await send('a look', { 'x-amz-target': 'DynamoDB_20120810.GetItem' }).catch(() => undefined);
    const sent = send('a write', { 'x-amz-target': 'DynamoDB_20120810.UpdateItem' });
    await trapped;
    expect(seen.at(-1)).toBe('a write');
    await link.stop();
    await expect(sent).rejects.toThrow('fetch failed');
  });

  describe('before a database', () => {
    const read = (ConsistentRead: boolean) =>
      send(JSON.stringify({ TableName: 'locks', Key: { lockId: { S: 'a' } }, ConsistentRead }), {
        'x-amz-target': 'DynamoDB_20120810.GetItem',
      });
    const rev = async (reply: Promise<string>) => JSON.parse((await reply).slice(4)).Item?.rev.N;

    it('answers an eventually consistent read by what was there before', async () => {
      expect(await rev(read(true))).toBe('1');
      link.begin({ kind: 'stale-read', ...whole });
      expect(await rev(read(false))).toBe('1');
      expect(seen).toHaveLength(1);
    });

    it('never so a consistent one, nor one of which it knows nothing before', async () => {
      link.begin({ kind: 'stale-read', ...whole });
      expect(await rev(read(false))).toBe('1');
      expect(await rev(read(true))).toBe('2');
      expect(link.struck).toEqual(new Map());
    });

    it('knows of a deletion', async () => {
      expect(await rev(read(true))).toBe('1');
      versions.learnDeletion('locks', 'a');
      link.begin({ kind: 'stale-read', ...whole });
      expect(await rev(read(false))).toBeUndefined();
    });
  });
});
