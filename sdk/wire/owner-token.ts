import { toBase64Url } from './base64url.ts';
import { limits } from './limits.ts';

/**
 * Makes the owner token of one acquisition: 128 random bits as 22 characters of base64url.
 *
 * A token is used for one acquisition and never again; whoever knows it may renew and release.
 */
export function newOwnerToken(): string {
  // Never from bytes kept for later: a process that was frozen and thawed twice would give them to two acquisitions.
  return toBase64Url(crypto.getRandomValues(new Uint8Array(16)));
}

/** What an owner token looks like, whoever made it. */
export const ownerTokenForm = new RegExp(
  `^[A-Za-z0-9_-]{${limits.ownerTokenLength.min},${limits.ownerTokenLength.max}}$`,
);
