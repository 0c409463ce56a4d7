import { createHash, timingSafeEqual } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { type IamIdentity, testIdentity, testKeyPair } from '../test-key-pair.ts';
import type { RequestHeaders } from './request-headers.ts';
import type { RequestTarget } from './request-target.ts';
import { parseSignature, type SentSignature } from './sent-signature.ts';
import { Sha256 } from './sha256.ts';

/** How far a signature's time may be from the gateway's, milliseconds. */
export const signatureAgeLimitMs = 5 * 60 * 1_000;

export interface SignedRequest {
  readonly method: string;
  readonly target: RequestTarget;
  readonly headers: RequestHeaders;
  readonly body: Buffer;
}

/**
 * Checks a request's Signature Version 4 (in the `Authorization` header) against the test key pair: signs the same
 * request again with AWS's own signer, and compares.
 *
 * @param now epoch milliseconds
 * @returns who signed, or nothing when the signature is missing or wrong
 */
export async function verifySignature(request: SignedRequest, now: number): Promise<IamIdentity | undefined> {
  const { headers } = request;
  const sent = parseSignature(headers.get('authorization') ?? '', headers.get('x-amz-date') ?? '');
  if (!sent || sent.accessKeyId !== testKeyPair.accessKeyId || sent.service !== 'execute-api') return undefined;
  if (Math.abs(now - sent.date.getTime()) > signatureAgeLimitMs) return undefined;
  // The signer takes this header's word for the body's hash, and the key pair has no session.
  const declaredHash = headers.get('x-amz-content-sha256');
  if (declaredHash !== undefined && declaredHash !== hashOf(request.body)) return undefined;
  if (headers.has('x-amz-security-token')) return undefined;
  const expected = Buffer.from(await authorizationOf(request, sent));
  const got = Buffer.from(sent.normalized);
  return expected.length === got.length && timingSafeEqual(expected, got) ? testIdentity : undefined;
}

async function authorizationOf({ method, target, headers, body }: SignedRequest, sent: SentSignature): Promise<string> {
  const signer = new SignatureV4({
    credentials: testKeyPair,
    region: sent.region,
    service: sent.service,
    sha256: Sha256,
    applyChecksum: false,
  });
  const signedHeaders = sent.signedHeaders.map((name) => [name, headers.get(name) ?? ''] as const);
  const { headers: signed } = await signer.sign(
    {
      method,
      protocol: 'http:',
      hostname: 'localhost',
      // As sent: the signer encodes what is already encoded once more, as every service but S3 wants it.
      path: target.sentPath,
      query: queryBag(target.query),
      headers: Object.fromEntries(signedHeaders),
      body,
    },
    { signingDate: sent.date, signableHeaders: new Set(sent.signedHeaders) },
  );
  return signed['authorization'] ?? '';
}

function queryBag(query: string): Record<string, string[]> {
  const bag = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) bag.set(name, [...(bag.get(name) ?? []), value]);
  return Object.fromEntries(bag);
}

function hashOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}
