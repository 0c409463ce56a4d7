import { createHash } from 'node:crypto';

/** What a history shows of an owner token: the same for the same token, and nothing that leads back to it. */
export function ownerHash(ownerToken: string): string {
  // An owner token is random, so nobody finds it by trying.
  return createHash('sha256').update(ownerToken).digest('base64url').slice(0, 12);
}
