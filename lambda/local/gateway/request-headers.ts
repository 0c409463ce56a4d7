// Between two neighbours on the wire only; the gateway does not pass them on.
const hopByHop = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers as an event has them: lower-case names, values of the same name joined by a comma. */
export type RequestHeaders = ReadonlyMap<string, string>;

/** Reads headers from the list of names and values that Node keeps: its own object drops some of the duplicates. */
export function readHeaders(rawHeaders: readonly string[]): RequestHeaders {
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return headers;
}

/** Splits headers into those a function sees and its cookies, which an event has apart. */
export function splitHeaders(headers: RequestHeaders): { headers: [string, string][]; cookies: string[] } {
  const passed = [...headers].filter(([name]) => name !== 'cookie' && !hopByHop.has(name));
  const cookies = (headers.get('cookie') ?? '').split(/[;,]\s*/).filter((cookie) => cookie !== '');
  return { headers: passed, cookies };
}

/** The most that the request line and the header values may come to, bytes. */
export const headerBytesLimit = 10_240;

/** The size that the gateway limits: the request line and the values of the headers, bytes. */
export function headerBytes(method: string, target: string, headers: RequestHeaders): number {
  let bytes = `${method} ${target} HTTP/1.1`.length;
  for (const value of headers.values()) bytes += value.length;
  return bytes;
}
