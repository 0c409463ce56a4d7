import { isIP } from 'node:net';

/** Whether a host, as `--host` or an address bar has it, means this machine only. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

/**
 * Whether a web page must be kept out.
 *
 * Pages of other origins can send requests to an address of this machine, and a page's own name can be made to resolve
 * to it (DNS rebinding). Browsers tell on both: by `Origin`, which has to be the stack's own address, and by `Host`,
 * which a stack on a loopback address expects to be a loopback name or its `--host`.
 */
export function isForeign(headers: ReadonlyMap<string, string>, listeningHost: string): boolean {
  const host = headers.get('host') ?? '';
  const hostname = hostnameOf(host);
  const own = isLoopback(hostname) || hostname === listeningHost.toLowerCase();
  if (isLoopback(listeningHost) && !own) return true;
  const origin = headers.get('origin');
  if (origin === undefined) return false;
  // A name could have been rebound, an address cannot.
  return origin.toLowerCase() !== `http://${host.toLowerCase()}` || !(own || isIP(hostname) !== 0);
}

function hostnameOf(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1');
}
