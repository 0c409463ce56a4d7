import { urlIn, withoutSecrets } from './address-text.ts';
import { IllegalArgumentError } from './errors.ts';
import { shown } from './options.ts';

/** What an address of locks says: where they are. */
export type BackendAddress =
  | { readonly kind: 'api' }
  | { readonly kind: 'memory'; readonly name: string }
  | { readonly kind: 'table'; readonly table: TableAddress };

/** A table, as `dynamodb://TABLE?…` names it. */
export interface TableAddress {
  readonly table: string;
  readonly region?: string;
  readonly endpoint?: string;
  readonly clockSkewMs?: number;
}

const rule = 'url must be https://… or http://…, memory: or memory:NAME, or dynamodb://TABLE?region=…';
const memoryRule = 'after memory: only a name of A-Za-z0-9._- may stand, or nothing';
const tableParameters = ['region', 'endpoint', 'clockSkewMs'];
const tableRule = `a table's address is dynamodb://TABLE, and after a ? only ${tableParameters.join(', ')}, each once`;

/**
 * Reads an address. One of the API is left to whoever connects to it.
 *
 * @throws IllegalArgumentError saying what is allowed; of what was got, never a part that may be a password
 */
export function backendAddressOf(text: unknown): BackendAddress {
  if (typeof text !== 'string') throw new IllegalArgumentError(`${rule}, got ${shown(text)}`);
  const url = urlIn(text);
  if (!url) throw new IllegalArgumentError(`${rule}, without white space, got ${shown(withoutSecrets(text))}`);
  switch (url.protocol) {
    case 'https:':
    case 'http:':
      return { kind: 'api' };
    case 'memory:':
      return { kind: 'memory', name: memoryName(url) };
    case 'dynamodb:':
      return { kind: 'table', table: tableAddress(url) };
    default:
      throw new IllegalArgumentError(`${rule}, got ${url.protocol}…`);
  }
}

function memoryName(url: URL): string {
  const name = url.href.slice(url.protocol.length);
  if (!/^[A-Za-z0-9._-]*$/.test(name)) throw new IllegalArgumentError(`${memoryRule}, got ${url.protocol}${url.host}…`);
  return name;
}

function tableAddress({ protocol, username, password, host, pathname, hash, searchParams }: URL): TableAddress {
  const names = [...searchParams.keys()];
  const known = names.every((name, at) => tableParameters.includes(name) && names.indexOf(name) === at);
  if (!host || username || password || (pathname && pathname !== '/') || hash || !known) {
    throw new IllegalArgumentError(
      `${tableRule}, got ${protocol}//${host}${pathname}${names.length > 0 ? '?' : ''}${names.join('&')}`,
    );
  }
  const [region, endpoint, clockSkewMs] = tableParameters.map((name) => searchParams.get(name));
  return {
    table: host,
    ...(region && { region }),
    ...(endpoint && { endpoint }),
    ...(clockSkewMs && { clockSkewMs: Number(clockSkewMs) }),
  };
}
