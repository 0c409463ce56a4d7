import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Credentials } from '../../sdk/index.ts';
import { newOwnerToken } from '../../sdk/wire/owner-token.ts';
import { lockPath, type Operation, routes } from '../../sdk/wire/routes.ts';
import type { CredentialsProvider } from './caller-credentials.ts';
import { type RawRequest, sendRaw } from './raw-request.ts';
import type { Reply } from './reply.ts';
import { TimeLimit } from './time-limit.ts';

/** How a request is signed when not as it should be. */
export interface Signed {
  /** Default: the administrator's. `none`: not at all. */
  readonly by?: CredentialsProvider | 'none';
  /** How far the time of the signature is off, milliseconds. */
  readonly offMs?: number;
  readonly region?: string;
  readonly service?: string;
  /** Changes the credentials before signing with them. */
  readonly altered?: (credentials: Credentials) => Credentials;
  /** Hangs up then. */
  readonly signal?: AbortSignal;
}

/** One owner's attempt at a lock of the run. */
export interface Attempt {
  readonly lockId: string;
  readonly ownerToken: string;
}

const answerWithinMs = 35_000;
/** Unless told otherwise, after this long every request of the checks ends, and so do they; the clean-up has its own time. */
const defaultRunMs = 10 * 60_000;
const cleanUpMs = 60_000;
const settleMs = 1_000;
/** Without a burst or the demo a run needs 300 to 350. */
const requestLimit = 1_500;

/** A throttled request is sent so often, so far apart: an account of 10 slots lets one acquire in every 8 s. */
const mostAttempts = 15;
const throttledPauseMs = 1_000;

/** Where a deployment is, and who asks. */
export interface Where {
  readonly url: URL;
  readonly region: string;
  readonly administrator: CredentialsProvider;
  readonly lockPrefix: string;
  /** How long the checks may take, milliseconds. */
  readonly runMs?: number | undefined;
}

/** The deployment under test, and the locks that were asked for in it. */
export class Deployment {
  readonly url: URL;
  readonly region: string;
  readonly administrator: CredentialsProvider;
  /** Every lock id of the run begins so. */
  readonly prefix: string;
  readonly replies: { readonly sentAtMs: number; readonly receivedAtMs: number; readonly date: string | undefined }[] =
    [];
  /** Ends the requests under way. */
  #over: TimeLimit;
  #allowed = requestLimit;
  #sent = 0;
  readonly #attempts = new Map<string, Attempt>();

  /** @param stopping ends the requests under way */
  constructor({ url, region, administrator, lockPrefix, runMs = defaultRunMs }: Where, stopping: AbortSignal) {
    this.url = url;
    this.region = region;
    this.administrator = administrator;
    this.#over = new TimeLimit(runMs, stopping);
    this.prefix = `${lockPrefix}verification-${randomBytes(6).toString('hex')}/`;
  }

  /** Whether no more checks are to begin. */
  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  get requests(): number {
    return this.#sent;
  }

  /** Lets the run send more than it may by itself. */
  allow(more: number): void {
    this.#allowed += more;
  }

  /** Sends a request, and once more for as long as it is throttled: some routes take few a second. */
  async send(request: RawRequest, signed: Signed = {}): Promise<Reply> {
    for (let attempt = 1; ; attempt++) {
      const reply = await this.sendOnce(request, signed);
      if (reply.status !== 429 || attempt === mostAttempts) return reply;
      await pause(throttledPauseMs);
    }
  }

  /** Sends a request, whatever comes back. A check that runs wild ends here. */
  async sendOnce(request: RawRequest, signed: Signed = {}): Promise<Reply> {
    if (++this.#sent > this.#allowed) throw new Error(`the run would send more than ${this.#allowed} requests`);
    const { by = this.administrator, altered = (credentials) => credentials, offMs = 0, service } = signed;
    const signing =
      by === 'none'
        ? undefined
        : {
            credentials: altered(await by()),
            region: signed.region ?? this.region,
            date: new Date(Date.now() + offMs),
            ...(service !== undefined && { service }),
          };
    const sentAtMs = Date.now();
    const limit = new TimeLimit(answerWithinMs, this.#over.signal, ...(signed.signal ? [signed.signal] : []));
    const reply = await sendRaw(this.url, request, signing, limit.signal).finally(() => limit.stop());
    const receivedAtMs = Date.now();
    this.replies.push({ sentAtMs, receivedAtMs, date: reply.headers.date });
    return { ...reply, sentAtMs, receivedAtMs };
  }

  /** Calls an operation of the contract. */
  call(operation: Operation, lockId: string, message?: object, signed?: Signed): Promise<Reply> {
    const route = routes[operation];
    const { method } = route;
    return this.send(
      { method, path: lockPath(route, lockId), ...(message && { body: JSON.stringify(message) }) },
      signed,
    );
  }

  /** A lock id of the run. */
  lockId(name: string): string {
    return `${this.prefix}${name}`;
  }

  /** A fresh owner token for a lock, to be given back at the end of the run whatever becomes of it. */
  attempt(lockId: string): Attempt {
    const attempt = { lockId, ownerToken: newOwnerToken() };
    this.#attempts.set(attempt.ownerToken, attempt);
    return attempt;
  }

  /** Tries a lock. Its lease is short: whatever is left behind ends by itself. */
  async try(lockId: string, { leaseMs = 60_000, ...signed }: Signed & { leaseMs?: number } = {}) {
    const attempt = this.attempt(lockId);
    const { ownerToken } = attempt;
    const reply = await this.call('try', lockId, { ownerToken, leaseMs, holder: 'holdfast verification' }, signed);
    return { attempt, reply };
  }

  /** Gives a lock, or a place in line, back. */
  async release({ lockId, ownerToken }: Attempt, signed?: Signed): Promise<Reply> {
    const reply = await this.call('release', lockId, { ownerToken }, signed);
    if (isOver(reply)) this.#attempts.delete(ownerToken);
    return reply;
  }

  /**
   * Gives back everything that was asked for and not yet given back.
   *
   * @returns the ids of locks that could not be given back; their leases end within a minute
   */
  async cleanUp(): Promise<string[]> {
    // What was under way then may still get through.
    if (this.isOver) await pause(settleMs);
    this.#over.stop();
    this.#over = new TimeLimit(cleanUpMs);
    for (const waitMs of [0, 200, 1_000]) {
      if (this.#attempts.size > 0) await pause(waitMs);
      this.allow(this.#attempts.size);
      for (const attempt of [...this.#attempts.values()]) {
        // Whatever went wrong, the next round, or the end of the lease, makes it good.
        await this.release(attempt).catch(() => undefined);
      }
    }
    return [...this.#attempts.values()].map(({ lockId }) => lockId);
  }
}

// Released, or it holds nothing.
function isOver({ status }: Reply): boolean {
  return status === 200 || status === 409;
}
