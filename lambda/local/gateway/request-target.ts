/** The target of a request line, taken apart as the gateway does. */
export interface RequestTarget {
  /** The path as it was sent: what a signature covers. */
  readonly sentPath: string;
  /** The path percent-decoded and cut at a decoded `?`: what routes are matched on and functions see. */
  readonly path: string;
  /** Without the `?`; empty when there is none. */
  readonly query: string;
}

/** Takes a request target apart, or gives nothing when its percent escapes are malformed or it is not a path. */
export function parseRequestTarget(target: string): RequestTarget | undefined {
  if (!target.startsWith('/')) return undefined;
  const [sentPath = '', ...rest] = target.split('?');
  try {
    const path = decodeURIComponent(sentPath).split('?')[0] ?? '';
    return { sentPath, path, query: rest.join('?') };
  } catch {
    return undefined;
  }
}
