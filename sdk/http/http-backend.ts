import type {
  AcquireRequest,
  Answer,
  Backend,
  BreakAnswer,
  BreakRequest,
  Failed,
  LeaseRequest,
  Listed,
  ListRequest,
  ReleaseRequest,
  Viewed,
} from '../backend.ts';
import { HoldfastError, LockServiceError } from '../errors.ts';
import { within } from '../time-limit.ts';
import { lockPath, type Operation, routes } from '../wire/routes.ts';
import { answerOf, breakAnswerOf, type HttpReply, listedOf, type Named, viewedOf } from './answer.ts';
import type { HttpRequest, Signer } from './signer.ts';
import { type TraceparentSource, traceparentHeader } from './traceparent.ts';

/** The lock service over its HTTPS API: one request, one answer. */
export class HttpBackend implements Backend {
  readonly #baseUrl: string;
  readonly #signer: Signer;
  readonly #traceparent: TraceparentSource | undefined;

  /** @param url address of the API, with the path that stands before `/v1`, if any */
  constructor(url: URL, signer: Signer, traceparent?: TraceparentSource) {
    this.#baseUrl = `${url.origin}${url.pathname}`.replace(/\/+$/, '');
    this.#signer = signer;
    this.#traceparent = traceparent;
  }

  try(request: LeaseRequest, timeoutMs: number): Promise<Answer> {
    const { ownerToken, leaseMs, holder } = request;
    return this.#change('try', request, { ownerToken, leaseMs, holder }, timeoutMs);
  }

  acquire(request: AcquireRequest, timeoutMs: number): Promise<Answer> {
    const { ownerToken, leaseMs, holder, waitMs, resume } = request;
    const message = { ownerToken, leaseMs, holder, waitMs, resume, confirm: true, keepPlace: true };
    return this.#change('acquire', request, message, timeoutMs);
  }

  renew(request: LeaseRequest, timeoutMs: number): Promise<Answer> {
    const { ownerToken, leaseMs, holder } = request;
    return this.#change('renew', request, { ownerToken, leaseMs, holder }, timeoutMs);
  }

  release(request: ReleaseRequest, timeoutMs: number): Promise<Answer> {
    const { ownerToken, expectWaiters, heir, heirFirst } = request;
    const message = {
      ownerToken,
      ...(expectWaiters && { expectWaiters }),
      ...(heir && { heir }),
      ...(heirFirst && { heirFirst }),
    };
    return this.#change('release', request, message, timeoutMs);
  }

  inspect(lockId: string, timeoutMs: number): Promise<Viewed | Failed> {
    return this.#ask('inspect', lockPath(routes.inspect, lockId), undefined, viewedOf, timeoutMs);
  }

  list({ prefix, state, limit, cursor }: ListRequest, timeoutMs: number): Promise<Listed | Failed> {
    const query = queryOf({ prefix: prefix || undefined, state, limit, cursor });
    return this.#ask('list', `${routes.list.path}?${query}`, undefined, listedOf, timeoutMs);
  }

  break({ lockId, fencingToken, note }: BreakRequest, timeoutMs: number): Promise<BreakAnswer | Failed> {
    return this.#post('break', lockId, { fencingToken, note }, breakAnswerOf, timeoutMs);
  }

  close(): void {
    // The runtime's own `fetch` keeps the connections, and lets idle ones go by itself.
  }

  #change(
    operation: Operation,
    request: Named & { lockId: string },
    message: object,
    timeoutMs: number,
  ): Promise<Answer> {
    return this.#post(operation, request.lockId, message, (reply) => answerOf(reply, request), timeoutMs);
  }

  #post<T>(
    operation: Operation,
    lockId: string,
    message: object,
    read: (reply: HttpReply) => T | Failed,
    timeoutMs: number,
  ): Promise<T | Failed> {
    return this.#ask(operation, lockPath(routes[operation], lockId), JSON.stringify(message), read, timeoutMs);
  }

  async #ask<T>(
    operation: Operation,
    path: string,
    body: string | undefined,
    read: (reply: HttpReply) => T | Failed,
    timeoutMs: number,
  ): Promise<T | Failed> {
    const request: HttpRequest = {
      method: routes[operation].method,
      url: `${this.#baseUrl}${path}`,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    };
    try {
      // Credentials may hang as well as the network: the time is over for both.
      return read(await within(timeoutMs, 'no answer', ({ signal }) => this.#send(request, signal)));
    } catch (cause) {
      if (cause instanceof HoldfastError) return { kind: 'refused', error: cause };
      forgetData(cause);
      const text = `${operation} got no answer from ${this.#baseUrl}: ${reasonOf(cause)}`;
      const error = new LockServiceError(text, { outcomeUnknown: !neverSent(cause), cause });
      return { kind: 'unknown', answered: false, error };
    }
  }

  async #send(request: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
    const reply = await this.#sendOnce(request, signal);
    // A clock that is minutes off makes every signature wrong: once more, by the server's clock.
    const again = reply.status === 403 && this.#signer.learn(reply.date);
    return again ? this.#sendOnce(request, signal) : reply;
  }

  async #sendOnce(request: HttpRequest, signal: AbortSignal): Promise<HttpReply & { date: string | null }> {
    const { method, url, body = null } = request;
    const headers = { ...(await this.#signed(request)), ...traceparentHeader(this.#traceparent) };
    signal.throwIfAborted();
    // Followed blindly, a redirect would send the owner token to wherever it points.
    const response = await fetch(url, { method, headers, body, signal, redirect: 'manual' });
    return {
      status: response.status,
      body: withoutCredentials(await response.text(), headers),
      requestId: response.headers.get('apigw-requestid') ?? undefined,
      date: response.headers.get('date'),
    };
  }

  async #signed(request: HttpRequest): Promise<Record<string, string>> {
    try {
      return await this.#signer.sign(request);
    } catch (cause) {
      if (cause instanceof HoldfastError) throw cause;
      throw new LockServiceError('nothing was sent: there are no usable credentials', { outcomeUnknown: false, cause });
    }
  }
}

/** A query in percent escapes only: a `+` would be a space to some, and itself to whoever checks a signature. */
function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&');
}

// Whoever refuses a request may repeat it to say why.
function withoutCredentials(text: string, headers: Readonly<Record<string, string>>): string {
  // What follows the scheme, and what a signature covers besides.
  const secrets = [headers['authorization']?.replace(/^\S+ +/, ''), headers['x-amz-security-token']];
  return secrets.reduce<string>((rest, secret) => (secret ? rest.replaceAll(secret, '…') : rest), text);
}

// There was no connection, so nothing was sent on it.
function neverSent(thrown: unknown): boolean {
  const { cause, code } = (thrown ?? {}) as { cause?: unknown; code?: string };
  return cause ? neverSent(cause) : code !== undefined && ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(code);
}

// What came in and could not be read stays in an error's data, and may hold the owner token.
function forgetData(thrown: unknown): void {
  const error = (thrown ?? {}) as { cause?: unknown; data?: unknown };
  delete error.data;
  if (error.cause) forgetData(error.cause);
}

// fetch says only "fetch failed"; what failed is in its cause. (No `instanceof`: errors may come from another realm.)
function reasonOf(thrown: unknown): string {
  const { cause, message, code } = (thrown ?? {}) as { cause?: unknown; message?: string; code?: string };
  return cause ? reasonOf(cause) : message || code || String(thrown);
}
