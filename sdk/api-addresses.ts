import { urlIn, withoutSecrets } from './address-text.ts';
import { IllegalArgumentError } from './errors.ts';
import { shown } from './options.ts';

/** Where one API is, and the AWS Region to sign for, where the caller names it. */
export interface Address {
  readonly url: URL;
  readonly region: string | undefined;
}

/** At least one, the preferred first. */
export type Addresses = readonly [Address, ...Address[]];

interface AddressOptions {
  readonly url?: unknown;
  readonly urls?: unknown;
  readonly region?: unknown;
}

/**
 * Reads the addresses among the options of a connection.
 *
 * @throws IllegalArgumentError naming the option, what is allowed and what was got
 */
export function addressesOf({ url, urls, region }: AddressOptions): Addresses {
  if (urls === undefined)
    return [{ url: urlOf('url', url), region: region === undefined ? region : regionNamed(region) }];
  if (url !== undefined) throw new IllegalArgumentError('connect takes url or urls, got both');
  if (region !== undefined) throw new IllegalArgumentError('region goes with url; urls name the Region of each');
  const isObject = Object.prototype.toString.call(urls) === '[object Object]';
  const entries = isObject ? Object.entries(urls as object) : [];
  const [first, ...others] = entries.map(([name, text]) => addressIn(regionNamed(name), text));
  if (first) return [first, ...others];
  const got = isObject ? 'none' : shown(urls);
  throw new IllegalArgumentError(`urls must be an object of addresses by Region, at least one, got ${got}`);
}

function addressIn(region: string, text: unknown): Address {
  const url = urlOf(`the url of ${region}`, text);
  const actual = regionInHost(url);
  // Signed for the wrong Region it would be refused, and perhaps only on the day on which it is needed.
  if (actual === undefined || actual === region) return { url, region };
  throw new IllegalArgumentError(`the url of ${region} must be of that Region, got ${url.host}`);
}

// It begins with a letter, so an object keeps the order in which its Regions were written.
function regionNamed(name: unknown): string {
  if (typeof name === 'string' && /^[a-z][a-z0-9-]*$/.test(name)) return name;
  throw new IllegalArgumentError(`region must be the name of an AWS Region, got ${shown(name)}`);
}

function urlOf(option: string, text: unknown): URL {
  const isText = typeof text === 'string';
  const url = isText && /^https?:[^?#]+$/i.test(text) ? urlIn(text) : undefined;
  if (url && !url.username && !url.password) return url;
  const got = shown(isText ? withoutSecrets(text) : text);
  const hint = isText && /^(memory|dynamodb):/.test(text) ? "; connect() of 'holdfast/auto' takes that" : '';
  throw new IllegalArgumentError(
    `${option} must be the http or https address of the API, without white space, credentials, query or fragment, got ${got}${hint}`,
  );
}

/** The Region in the host name of an API Gateway, if it is one. */
export function regionInHost({ hostname }: URL): string | undefined {
  return /^[a-z0-9-]+\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?$/.exec(hostname)?.[1];
}

/** Whether an address is one of this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
