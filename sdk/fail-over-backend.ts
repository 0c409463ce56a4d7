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
} from './backend.ts';
import { type Clocks, elapsedMs, type Moment, systemClocks } from './clocks.ts';

/** How long a backend that failed is left alone while another works, milliseconds. */
export const leaveAloneMs = 30_000;
/** How long it then has to answer, milliseconds: who asks must still have time for the backend that works. */
export const probeTimeoutMs = 1_000;

interface Site {
  readonly backend: Backend;
  /** When it failed, or was last tried since; nothing: it works, as far as is known. */
  failedAt: Moment | undefined;
  /** The number of that event among those of all sites: the smallest was the first. */
  turn: number;
  failures: number;
}

/**
 * Several backends over the same locks, such as the APIs of several Regions, in order of preference.
 *
 * Each request goes to one backend and to no other. A request of unknown outcome makes the next ones go to the next
 * backend; whoever sent it repeats it there with the same owner token, which finds out what the first one did. A throttled
 * request stays: the backend works. One that failed is tried again after 30 s, with one request that gets 1 s; acquire is
 * no such trial, since it may wait for long. When none is known to work, the one whose failure is the oldest is asked.
 */
export class FailOverBackend implements Backend {
  readonly #sites: readonly Site[];
  readonly #clocks: Clocks;
  #turns = 0;

  /** @param backends at least one, the preferred first */
  constructor(backends: readonly [Backend, ...Backend[]], clocks: Clocks = systemClocks) {
    this.#sites = backends.map((backend) => ({ backend, failedAt: undefined, turn: 0, failures: 0 }));
    this.#clocks = clocks;
  }

  try(request: LeaseRequest, timeoutMs: number): Promise<Answer> {
    return this.#send(timeoutMs, (backend, limitMs) => backend.try(request, limitMs));
  }

  acquire(request: AcquireRequest, timeoutMs: number): Promise<Answer> {
    return this.#sendTo(this.#working ?? this.#oldestFailure, (backend) => backend.acquire(request, timeoutMs));
  }

  renew(request: LeaseRequest, timeoutMs: number): Promise<Answer> {
    return this.#send(timeoutMs, (backend, limitMs) => backend.renew(request, limitMs));
  }

  release(request: ReleaseRequest, timeoutMs: number): Promise<Answer> {
    return this.#send(timeoutMs, (backend, limitMs) => backend.release(request, limitMs));
  }

  inspect(lockId: string, timeoutMs: number): Promise<Viewed | Failed> {
    return this.#send(timeoutMs, (backend, limitMs) => backend.inspect(lockId, limitMs));
  }

  list(request: ListRequest, timeoutMs: number): Promise<Listed | Failed> {
    return this.#send(timeoutMs, (backend, limitMs) => backend.list(request, limitMs));
  }

  break(request: BreakRequest, timeoutMs: number): Promise<BreakAnswer | Failed> {
    return this.#send(timeoutMs, (backend, limitMs) => backend.break(request, limitMs));
  }

  close(): void {
    for (const { backend } of this.#sites) backend.close();
  }

  #send<T extends { readonly kind: string }>(
    timeoutMs: number,
    send: (backend: Backend, limitMs: number) => Promise<T>,
  ): Promise<T> {
    const working = this.#working;
    if (!working) return this.#sendTo(this.#oldestFailure, (backend) => send(backend, timeoutMs));
    const site = this.#dueBefore(working);
    const limitMs = site ? Math.min(timeoutMs, probeTimeoutMs) : timeoutMs;
    return this.#sendTo(site ?? working, (backend) => send(backend, limitMs));
  }

  async #sendTo<T extends { readonly kind: string }>(site: Site, send: (backend: Backend) => Promise<T>): Promise<T> {
    const { failures } = site;
    // It counts as failed until it answers: so nobody else tries it meanwhile.
    if (site.failedAt) this.#leaveAlone(site);
    const answer = await send(site.backend);
    if (answer.kind === 'unknown') {
      site.failures++;
      this.#leaveAlone(site);
    } else if (site.failures === failures) {
      // Had another request failed meanwhile, that would be the later news.
      site.failedAt = undefined;
    }
    return answer;
  }

  get #working(): Site | undefined {
    return this.#sites.find(({ failedAt }) => !failedAt);
  }

  /** A backend that is preferred to one that works, and was left alone for long enough. */
  #dueBefore(working: Site): Site | undefined {
    return this.#sites
      .slice(0, this.#sites.indexOf(working))
      .find(({ failedAt }) => failedAt && elapsedMs(failedAt, this.#clocks) >= leaveAloneMs);
  }

  get #oldestFailure(): Site {
    return this.#sites.reduce((oldest, site) => (site.turn < oldest.turn ? site : oldest));
  }

  #leaveAlone(site: Site): void {
    site.failedAt = this.#clocks.now();
    site.turn = ++this.#turns;
  }
}
