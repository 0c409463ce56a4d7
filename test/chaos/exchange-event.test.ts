import type { IncomingMessage } from 'node:http';
import { newOwnerToken } from '../../sdk/wire/owner-token.ts';
import type { Exchange } from '../support/http-proxy.ts';
import { ownerHash } from './owner-hash.ts';
import { exchangeEvent } from './run/network/exchange-event.ts';
import type { Forwarded } from './run/network/link.ts';

const ownerToken = newOwnerToken();
const heirToken = newOwnerToken();

function event(operation: string, message: object, status: number, reply: object) {
  const request = { url: `/v1/locks/a~2F1/${operation}` } as IncomingMessage;
  const exchange = { request, body: Buffer.from(JSON.stringify(message)) } as Exchange;
  const answer = { status, headers: {}, body: JSON.stringify(reply) };
  const forwarded: Forwarded = { id: 'link:2', copyOf: 'link:1', sentMs: 5, isDelivered: true, answer };
  return exchangeEvent('run', exchange, forwarded);
}

const lease = {
  lockId: 'a/1',
  ownerToken: heirToken,
  fencingToken: 8,
  leaseMs: 2_000,
  expiresInMs: 2_000,
  expiresAt: '2027-01-01T00:00:00.000Z',
  provisional: true,
  waiters: 0,
};

describe('what a history tells of a request and its reply', () => {
  it('is the operation, the lock, who asked and what was answered', () => {
    expect(event('acquire', { ownerToken }, 200, { ...lease, ownerToken })).toMatchObject({
      type: 'exchange',
      exchange: 'link:2',
      copyOf: 'link:1',
      operation: 'acquire',
      lockId: 'a/1',
      owner: ownerHash(ownerToken),
      sentMs: 5,
      isDelivered: true,
      reply: { kind: 'granted', fencingToken: 8, isProvisional: true },
    });
  });

  it('is the heir of a release, and its grant', () => {
    const told = event('release', { ownerToken, heir: { ownerToken: heirToken } }, 200, {
      released: true,
      heir: lease,
    });
    expect(told).toMatchObject({ heir: ownerHash(heirToken), reply: { kind: 'released', heirFencingToken: 8 } });
  });

  it('holds no owner token', () => {
    const told = JSON.stringify(event('release', { ownerToken, heir: { ownerToken: heirToken } }, 200, lease));
    expect(told).not.toContain(ownerToken);
    expect(told).not.toContain(heirToken);
  });

  it.each([
    [503, { message: 'Service Unavailable' }, { kind: 'failed', status: 503 }],
    [429, { message: 'Too Many Requests' }, { kind: 'failed', status: 429 }],
  ])('is that a reply with status %i says nothing of the lock', (status, message, reply) => {
    expect(event('try', { ownerToken }, status, message)?.reply).toEqual(reply);
  });

  it('is nothing for a request that is about no owner token', () => {
    expect(event('break', { fencingToken: 7 }, 200, {})).toBeUndefined();
  });
});
