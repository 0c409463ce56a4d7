import { setTimeout as pause } from 'node:timers/promises';
import { dynamoDbOperation } from '../../../support/faulty-proxy.ts';
import { hostMs } from '../../../support/host-clock.ts';
import { type Exchange, type HttpProxy, type ProxyAnswer, pass, startHttpProxy } from '../../../support/http-proxy.ts';
import type { ItemVersions } from './item-versions.ts';

/**
 * What a link does to requests.
 *
 * - `drop-request`: never forward it, and reset the connection.
 * - `drop-reply`: forward it, wait for the reply, and reset the connection.
 * - `delay`: forward it `ms` later, or pass its reply on so much later.
 * - `black-hole`: never forward it, and say nothing.
 * - `mute`: forward it, and say nothing.
 * - `duplicate`: forward it, and once more up to `ms` later; nobody hears the second reply.
 * - `answer`: never forward it, and answer in place of the server.
 * - `answer-after`: forward it, and then answer in place of the server.
 * - `stale-read`: answer an eventually consistent read by what was there before.
 */
export type LinkFault =
  | {
      readonly kind: 'drop-request' | 'drop-reply' | 'black-hole' | 'mute' | 'stale-read';
      readonly share: number;
    }
  | { readonly kind: 'delay' | 'duplicate'; readonly share: number; readonly ms: number }
  | {
      readonly kind: 'answer' | 'answer-after';
      readonly share: number;
      readonly answers: readonly ProxyAnswer[];
    };

/** Told of each request that a link forwarded. */
export type Watch = (exchange: Exchange, forwarded: Forwarded) => void;

export interface Forwarded {
  readonly sentMs: number;
  readonly answer: ProxyAnswer;
  readonly isDelivered: boolean;
  /** Unlike that of every other. A copy names the one that it is a copy of. */
  readonly id: string;
  readonly copyOf?: string;
}

export interface LinkParts {
  readonly name: string;
  /** Asked for each request; it throws while there is no server. */
  readonly upstream: () => string;
  readonly random: () => number;
  readonly watch?: Watch | undefined;
  /** Of the database behind it, which this link also teaches. */
  readonly versions?: ItemVersions | undefined;
}

/** A network between one client and its server: a proxy with faults that come and go. */
export class Link {
  readonly name: string;
  /** How many requests met each kind of fault. */
  readonly struck = new Map<string, number>();
  /** How many requests came in. */
  requests = 0;
  readonly #parts: LinkParts;
  readonly #faults = new Set<LinkFault>();
  #proxy: HttpProxy | undefined;
  #trap: (() => void) | undefined;
  #isShielded = false;
  #forwards = 0;

  private constructor(parts: LinkParts) {
    this.name = parts.name;
    this.#parts = parts;
  }

  static async start(parts: LinkParts): Promise<Link> {
    const link = new Link(parts);
    link.#proxy = await startHttpProxy(parts.upstream, (exchange) => link.#serve(exchange));
    return link;
  }

  get endpoint(): string {
    return this.#proxy?.endpoint ?? '';
  }

  /** Begins a fault, until the function that it gives is called. */
  begin(fault: LinkFault): () => void {
    this.#faults.add(fault);
    return () => this.#faults.delete(fault);
  }

  /** Lets one write be answered by the server, tells of it, and never passes the reply on. */
  trapWrite(struck: () => void): void {
    this.#trap = struck;
  }

  untrap(): void {
    this.#trap = undefined;
  }

  /** Lets no fault strike while something is done. */
  async shielded<T>(run: () => Promise<T>): Promise<T> {
    this.#isShielded = true;
    try {
      return await run();
    } finally {
      this.#isShielded = false;
    }
  }

  stop(): Promise<void> | undefined {
    return this.#proxy?.stop();
  }

  async #serve(exchange: Exchange): Promise<void> {
    this.requests++;
    if (this.#isShielded) return this.#pass(exchange);
    const { response } = exchange;
    const trap = this.#trap;
    if (trap && dynamoDbOperation(exchange.request) === 'UpdateItem') {
      this.#trap = undefined;
      this.#strike('trap');
      await this.#forward(exchange, 'unheard');
      trap();
      return;
    }
    const fault = [...this.#faults].find(({ share }) => this.#parts.random() < share);
    if (!fault) return this.#pass(exchange);
    const { random } = this.#parts;
    if (fault.kind === 'stale-read') {
      const stale = this.#parts.versions?.stale(exchange, random);
      if (!stale) return this.#pass(exchange);
      this.#strike(fault.kind);
      return pass(response, stale);
    }
    this.#strike(fault.kind);
    switch (fault.kind) {
      case 'drop-request':
        response.destroy();
        return;
      case 'black-hole':
        return;
      case 'drop-reply':
        await this.#forward(exchange, 'unheard');
        response.destroy();
        return;
      case 'mute':
        await this.#forward(exchange, 'unheard');
        return;
      case 'delay': {
        const before = random() < 0.5;
        if (before) await pause(fault.ms * random());
        return this.#forward(exchange, 'heard', { delayMs: before ? 0 : fault.ms * random() });
      }
      case 'duplicate': {
        const id = this.#newId();
        const copy = async () => {
          await pause(fault.ms * random());
          await this.#forward(exchange, 'unheard', { copyOf: id });
        };
        await Promise.all([this.#forward(exchange, 'heard', { id }), copy()]);
        return;
      }
      case 'answer':
        return pass(response, oneOf(fault.answers, random));
      case 'answer-after':
        await this.#forward(exchange, 'unheard');
        return pass(response, oneOf(fault.answers, random));
    }
  }

  #pass(exchange: Exchange): Promise<void> {
    return this.#forward(exchange, 'heard');
  }

  #newId(): string {
    return `${this.name}:${++this.#forwards}`;
  }

  async #forward(
    exchange: Exchange,
    hearing: 'heard' | 'unheard',
    { id = this.#newId(), copyOf, delayMs = 0 }: { id?: string; copyOf?: string; delayMs?: number } = {},
  ): Promise<void> {
    const { watch, versions } = this.#parts;
    const sentMs = hostMs();
    const answer = await exchange.forward();
    versions?.learn(exchange, answer);
    if (delayMs > 0) await pause(delayMs);
    const isDelivered = hearing === 'heard' && !exchange.response.destroyed;
    if (isDelivered) pass(exchange.response, answer);
    watch?.(exchange, { sentMs, answer, isDelivered, id, ...(copyOf !== undefined && { copyOf }) });
  }

  #strike(kind: string): void {
    this.struck.set(kind, (this.struck.get(kind) ?? 0) + 1);
  }
}

function oneOf<T>(choices: readonly T[], random: () => number): T {
  return choices[Math.floor(random() * choices.length)] as T;
}
