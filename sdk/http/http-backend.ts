import type { AcquireRequest, Answer, Backend, LeaseRequest, ReleaseRequest } from '../backend.ts';
import { HoldfastError, LockServiceError } from '../errors.ts';
import { lockPath, type Operation, routes } from '../wire/routes.ts';
import { answerOf, type HttpReply } from './answer.ts';
import type { Signer } from './signer.ts';

/** The lock service over its HTTPS API: one request, one answer. */
export class HttpBackend implements Backend {
  readonly #baseUrl: string;
  readonly #signer: Signer;

  /** @param url address of the API, with the path that stands before `/v1`, if any */
  constructor(url: URL, signer: Signer) {
    this.#baseUrl = `${url.origin}${url.pathname}`.replace(/\/+$/, '');
    this.#signer = signer;
  }

  try({ lockId, ownerToken, leaseMs, holder }: LeaseRequest, timeoutMs: number): Promise<Answer> {
    return this.#post('try', lockId, { ownerToken, leaseMs, holder }, timeoutMs);
  }

  acquire({ lockId, signal: _signal, ...request }: AcquireRequest, timeoutMs: number): Promise<Answer> {
    return this.#post('acquire', lockId, { ...request, confirm: true, keepPlace: true }, timeoutMs);
  }

  renew({ lockId, ownerToken, leaseMs, holder }: LeaseRequest, timeoutMs: number): Promise<Answer> {
    return this.#post('renew', lockId, { ownerToken, leaseMs, holder }, timeoutMs);
  }

  release({ lockId, ownerToken, expectWaiters, heir }: ReleaseRequest, timeoutMs: number): Promise<Answer> {
    const message = { ownerToken, ...(expectWaiters && { expectWaiters }), ...(heir && { heir }) };
    return this.#post('release', lockId, message, timeoutMs);
  }

  close(): void {
    // The runtime's own `fetch` keeps the connections, and lets idle ones go by itself.
  }

  async #post(operation: Operation, lockId: string, message: object, timeoutMs: number): Promise<Answer> {
    // A timer of our own, not AbortSignal.timeout: that one does not keep the process alive, and a caller waits.
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Credentials may hang as well as the network: the time is over for both.
    const over = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const reason = new Error(`no answer within ${Math.round(timeoutMs)} ms`);
        abort.abort(reason);
        reject(reason);
      }, timeoutMs);
    });
    try {
      const url = `${this.#baseUrl}${lockPath(routes[operation], lockId)}`;
      return answerOf(await Promise.race([this.#send(url, JSON.stringify(message), abort.signal), over]));
    } catch (cause) {
      if (cause instanceof HoldfastError) return { kind: 'refused', error: cause };
      const text = `${operation} got no answer from ${this.#baseUrl}: ${reasonOf(cause)}`;
      const error = new LockServiceError(text, { outcomeUnknown: !neverSent(cause), cause });
      return { kind: 'unknown', answered: false, error };
    } finally {
      clearTimeout(timer);
    }
  }

  async #send(url: string, body: string, signal: AbortSignal): Promise<HttpReply> {
    const reply = await this.#sendOnce(url, body, signal);
    // A clock that is minutes off makes every signature wrong: once more, by the server's clock.
    const again = reply.status === 403 && this.#signer.learn(reply.date);
    return again ? this.#sendOnce(url, body, signal) : reply;
  }

  async #sendOnce(url: string, body: string, signal: AbortSignal): Promise<HttpReply & { date: string | null }> {
    const request = { method: 'POST', url, headers: { 'content-type': 'application/json' }, body };
    const headers = await this.#signed(request);
    signal.throwIfAborted();
    // Followed blindly, a redirect would send the owner token to wherever it points.
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    return {
      status: response.status,
      body: await response.text(),
      requestId: response.headers.get('apigw-requestid') ?? undefined,
      date: response.headers.get('date'),
    };
  }

  async #signed(request: Parameters<Signer['sign']>[0]): Promise<Record<string, string>> {
    try {
      return await this.#signer.sign(request);
    } catch (cause) {
      throw new LockServiceError('the request could not be signed: there are no usable credentials', {
        outcomeUnknown: false,
        cause,
      });
    }
  }
}

// There was no connection, so nothing was sent on it.
function neverSent(thrown: unknown): boolean {
  const { cause, code } = (thrown ?? {}) as { cause?: unknown; code?: string };
  return cause ? neverSent(cause) : code !== undefined && ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(code);
}

// fetch says only "fetch failed"; what failed is in its cause. (No `instanceof`: errors may come from another realm.)
function reasonOf(thrown: unknown): string {
  const { cause, message, code } = (thrown ?? {}) as { cause?: unknown; message?: string; code?: string };
  return cause ? reasonOf(cause) : message || code || String(thrown);
}
