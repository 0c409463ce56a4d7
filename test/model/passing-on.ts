import { type Client, idle } from './world.ts';

/** A release that names an heir is a `transfer`: the heir is a further acquisition of the same client. */
export function mayPassOn({ acquisitionsLeft }: Client): boolean {
  return acquisitionsLeft > 1;
}

/** It released with an heir, and that heir still wants the lock. */
export function hasHeir({ heir, heirGone }: Client): boolean {
  return heir !== '' && !heirGone;
}

/** The client as the heir that it named; what it released is none of its concern any more. */
export function asHeir({ acquisitionsLeft, heir, heirGone, mode }: Client, renewals: number): Client {
  // An heir that gave up was taken off already: what is left of it is its token's release.
  const left = heirGone ? acquisitionsLeft : acquisitionsLeft - 1;
  return { ...idle, acquisitionsLeft: left, token: heir, mode, renewalsLeft: renewals };
}

/** The heir gives up before it knows whether it got the lock; a repeat of the release names it all the same. */
export function withoutHeir(client: Client): Client {
  return { ...client, heirGone: true, acquisitionsLeft: client.acquisitionsLeft - 1 };
}
