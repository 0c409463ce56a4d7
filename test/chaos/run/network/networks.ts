import type { HistoryEvent } from '../../history.ts';
import { chance, shape, workers } from '../shape.ts';
import { exchangeEvent } from './exchange-event.ts';
import { ItemVersions } from './item-versions.ts';
import { Link, type LinkParts } from './link.ts';

/** Where the servers are: each asked for every request, and throws while there is none. */
export interface Servers {
  readonly api: () => string;
  readonly database: () => string;
}

/** The networks between the processes of a chaos run. */
export interface Networks {
  /** Between each worker over HTTP and the API. */
  readonly api: readonly Link[];
  /** Before the database: of each API, then of each embedded worker. */
  readonly database: readonly Link[];
  /** Between everybody and the registers and counters; nothing ever goes wrong on it but that the database is away. */
  readonly resource: Link;
  /** What the locks' items were. */
  readonly versions: ItemVersions;
}

/**
 * Starts all of them.
 *
 * @param seed of what becomes of the single requests
 * @param write told of each request to the API and its reply
 */
export async function startNetworks(
  seed: number,
  servers: Servers,
  write: (event: HistoryEvent) => void,
): Promise<Networks> {
  const versions = new ItemVersions();
  const start = (name: string, upstream: () => string, more: Pick<LinkParts, 'watch' | 'versions'> = {}) =>
    Link.start({ name, upstream, random: chance(seed, name), ...more });
  const watch: LinkParts['watch'] = (exchange, forwarded) => {
    const event = exchangeEvent('run', exchange, forwarded);
    if (event) write(event);
  };
  const clients = [...numbered('api', 0, shape.apis), ...numbered('w', shape.httpWorkers, workers - shape.httpWorkers)];
  return {
    api: await Promise.all(
      numbered('w', 0, shape.httpWorkers).map((name) => start(`${name} to the API`, servers.api, { watch })),
    ),
    database: await Promise.all(
      clients.map((name) => start(`${name} to the database`, servers.database, { versions })),
    ),
    resource: await start('everybody to the registers', servers.database),
    versions,
  };
}

function numbered(name: string, from: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}${from + index}`);
}
