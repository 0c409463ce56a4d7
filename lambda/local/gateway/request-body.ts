import type { IncomingMessage } from 'node:http';

/** The largest payload that the gateway takes, bytes. */
export const bodyBytesLimit = 10 * 1_024 * 1_024;

/**
 * Reads a request's body, or says that it is too long, as soon as that shows and without keeping more than the limit.
 *
 * @throws when the client goes away in the middle
 */
export function readBody(request: IncomingMessage, limit: number = bodyBytesLimit): Promise<Buffer | 'too long'> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.resolve('too long');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limit) {
        chunks.push(chunk);
        return;
      }
      // The rest is read and dropped by the server: a client that is still sending would miss an answer that closes.
      request.removeAllListeners('data');
      chunks.length = 0;
      request.resume();
      resolve('too long');
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
    request.once('close', () => reject(new Error('the client went away before its request was complete')));
  });
}

// Seen on the real gateway: these arrive as text, everything else as base64, forms and bodies without a type too.
const textTypes = /^(?:text\/[^;]*|application\/(?:json|xml|javascript))\s*(?:;|$)/i;

/** A body as an event carries it. */
export function encodeBody(body: Buffer, contentType: string | undefined): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  if (textTypes.test(contentType ?? '')) return { body: body.toString('utf8'), isBase64Encoded: false };
  return { body: body.toString('base64'), isBase64Encoded: true };
}
