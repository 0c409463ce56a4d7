import { type Problem, problemMediaType, problemSchema } from '../../sdk/wire/problems.ts';
import type { RawReply } from './raw-request.ts';

/** An answer, and when it was asked for and had: epoch milliseconds of this host. */
export interface Reply extends RawReply {
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
}

/** The body as JSON, or nothing when it is not. */
export function jsonOf({ text }: RawReply): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One member of a JSON body. */
export function memberOf(reply: RawReply, name: string): unknown {
  return (jsonOf(reply) as Record<string, unknown> | undefined)?.[name];
}

export function numberOf(reply: RawReply, name: string): number {
  const value = memberOf(reply, name);
  return typeof value === 'number' ? value : Number.NaN;
}

/** The problem that an answer is, or nothing when it is none. */
export function problemOf(reply: RawReply): Problem | undefined {
  if (reply.headers['content-type'] !== problemMediaType) return undefined;
  const problem = problemSchema.safeParse(jsonOf(reply));
  return problem.success ? problem.data : undefined;
}

/** Whether it is the gateway's own answer: a status and a message, no problem of the contract. */
export function isGatewayAnswer(reply: RawReply, status: number, message: string): boolean {
  return reply.status === status && memberOf(reply, 'message') === message;
}

/** Whether the gateway itself refused, in JSON as it does: not a page of something before it, not the service. */
export function isForbidden(reply: RawReply): boolean {
  const isJson = /^application\/json\b/.test(reply.headers['content-type'] ?? '');
  const isMessage = typeof memberOf(reply, 'message') === 'string' && memberOf(reply, 'code') === undefined;
  return reply.status === 403 && isJson && isMessage;
}

// How the item in the table and the messages call owner tokens.
const secretNames = ['ownerToken', 'owner', 'queue', 'tickets', 'last', 'broken'];

/** Whether an answer that anybody may see holds an owner token: one of these, or whatever is called so. */
export function tellsOwner({ text }: RawReply, ownerTokens: readonly string[]): boolean {
  return (
    ownerTokens.some((token) => text.includes(token)) ||
    secretNames.some((name) => new RegExp(`"${name}"\\s*:`).test(text))
  );
}

/**
 * An answer in a few words. Of its body only what is known to hold no secret: the code of a problem, the gateway's
 * message.
 */
export function shown(reply: RawReply): string {
  const problem = problemOf(reply);
  if (problem) return `${reply.status} ${problem.code}`;
  const message = memberOf(reply, 'message');
  if (typeof message === 'string') return `${reply.status} ${JSON.stringify(message.slice(0, 80))}`;
  if (reply.status === 200) return '200';
  return `${reply.status} with a body of ${reply.text.length} characters that is neither a problem nor a message`;
}
