import { answerOf, type Named } from '../../../../sdk/http/answer.ts';
import { decodeLockId } from '../../../../sdk/wire/lock-id.ts';
import { lockOperation } from '../../../support/faulty-proxy.ts';
import { hostMs } from '../../../support/host-clock.ts';
import type { Exchange, ProxyAnswer } from '../../../support/http-proxy.ts';
import type { Exchange as ExchangeEvent, Reply } from '../../history.ts';
import { ownerHash } from '../../owner-hash.ts';
import type { Forwarded } from './link.ts';

const told: readonly string[] = ['try', 'acquire', 'renew', 'release'] satisfies ExchangeEvent['operation'][];

/** What a history tells of a request to the API and its reply; nothing of those that are about no owner token. */
export function exchangeEvent(
  process: string,
  { request, body }: Exchange,
  { id, copyOf, sentMs, isDelivered, answer }: Forwarded,
): ExchangeEvent | undefined {
  const operation = lockOperation(request);
  const lockId = decodeLockId(request.url?.split('/').at(-2) ?? '');
  if (!told.includes(operation) || lockId === undefined) return undefined;
  const { ownerToken = '', heir } = JSON.parse(String(body)) as {
    ownerToken?: string;
    heir?: { ownerToken: string };
  };
  return {
    type: 'exchange',
    atMs: hostMs(),
    process,
    exchange: id,
    ...(copyOf !== undefined && { copyOf }),
    operation: operation as ExchangeEvent['operation'],
    lockId,
    owner: ownerHash(ownerToken),
    ...(heir && { heir: ownerHash(heir.ownerToken) }),
    sentMs,
    isDelivered,
    reply: replyOf(answer, { ownerToken, heir }),
  };
}

function replyOf({ status, body }: ProxyAnswer, named: Named): Reply {
  const answer = answerOf({ status, body: String(body), requestId: undefined }, named);
  switch (answer.kind) {
    case 'granted':
      return { kind: 'granted', fencingToken: answer.fencingToken, isProvisional: answer.provisional };
    case 'released':
      return { kind: 'released', ...(answer.heir && { heirFencingToken: answer.heir.fencingToken }) };
    case 'held':
    case 'waiting':
    case 'spent':
      return { kind: answer.kind };
    case 'lost':
      return { kind: 'lost', reason: answer.reason };
    default:
      return { kind: 'failed', status };
  }
}
