import type { LockService } from '../../lambda/service/lock-service.ts';
import type {
  AcquireRequest,
  Answer,
  Backend,
  BreakAnswer,
  BreakRequest,
  Failed,
  Heir,
  LeaseRequest,
  Listed,
  ListRequest,
  ReleaseRequest,
  Viewed,
} from '../backend.ts';
import { IllegalArgumentError } from '../errors.ts';
import { shown } from '../options.ts';
import { within } from '../time-limit.ts';
import { decodeLockId } from '../wire/lock-id.ts';
import { answerOf, breakAnswerOf, failureOf, listedOf, viewedOf } from './answer.ts';

/** The lock service inside this very process: no requests, no contract between, the same rules and the same answers. */
export class InProcessBackend implements Backend {
  readonly #service: LockService;
  readonly #principal: string;
  readonly #close: () => void;

  /**
   * @param principal who the holder is to others, since nobody authorizes
   * @param close gives back what the store keeps open
   */
  constructor(service: LockService, principal: string, close: () => void = () => undefined) {
    this.#service = service;
    this.#principal = principal;
    this.#close = close;
  }

  try(request: LeaseRequest, timeoutMs: number): Promise<Answer> {
    return this.#ask('try', () => this.#service.try(this.#attempt(request)), answerOf, timeoutMs);
  }

  // A caller that gives up is heard at once: the service then leaves the line by itself.
  acquire(request: AcquireRequest, timeoutMs: number): Promise<Answer> {
    const { waitMs, resume, signal } = request;
    const asked = { ...this.#attempt(request), waitMs, resume, signal, confirm: true, keepPlace: true };
    return this.#ask('acquire', () => this.#service.acquire(asked), answerOf, timeoutMs);
  }

  renew(request: LeaseRequest, timeoutMs: number): Promise<Answer> {
    return this.#ask('renew', () => this.#service.renew(this.#attempt(request)), answerOf, timeoutMs);
  }

  release({ heir, ...request }: ReleaseRequest, timeoutMs: number): Promise<Answer> {
    const asked = { ...request, heir: heir && this.#identified(heir) };
    return this.#ask('release', () => this.#service.release(asked), answerOf, timeoutMs);
  }

  inspect(lockId: string, timeoutMs: number): Promise<Viewed | Failed> {
    return this.#ask('inspect', () => this.#service.inspect(lockId), viewedOf, timeoutMs);
  }

  async list({ cursor, ...query }: ListRequest, timeoutMs: number): Promise<Listed | Failed> {
    const after = cursor === undefined ? undefined : decodeLockId(cursor);
    if (cursor !== undefined && after === undefined) {
      const text = `cursor must be one that a page of this list gave, got ${shown(cursor)}`;
      return { kind: 'refused', error: new IllegalArgumentError(text) };
    }
    return this.#ask('list', () => this.#service.list({ ...query, after }), listedOf, timeoutMs);
  }

  // The note is for the log of a service, and here is none.
  break({ lockId, fencingToken }: BreakRequest, timeoutMs: number): Promise<BreakAnswer | Failed> {
    return this.#ask('break', () => this.#service.break({ lockId, fencingToken }), breakAnswerOf, timeoutMs);
  }

  close(): void {
    this.#close();
  }

  async #ask<O, A>(
    operation: string,
    run: () => Promise<O>,
    read: (outcome: O) => A,
    timeoutMs: number,
  ): Promise<A | Failed> {
    try {
      return read(await within(timeoutMs, `${operation} got no answer`, run));
    } catch (cause) {
      return failureOf(cause);
    }
  }

  #attempt({ lockId, ...heir }: LeaseRequest) {
    return { lockId, ...this.#identified(heir) };
  }

  #identified({ ownerToken, leaseMs, holder }: Heir) {
    return { ownerToken, leaseMs, identity: { holder, principal: this.#principal } };
  }
}
