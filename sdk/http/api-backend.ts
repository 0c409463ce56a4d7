import type { Addresses } from '../api-addresses.ts';
import type { Backend } from '../backend.ts';
import type { AuthorizationSource, CredentialsSource } from '../credentials.ts';
import { FailOverBackend } from '../fail-over-backend.ts';
import { AuthorizationHeader } from './authorization-header.ts';
import { HttpBackend } from './http-backend.ts';
import { noSigner, regionOf, type Signer, SigV4Signer } from './signer.ts';

/** How callers show who they are: one of the two, or neither. */
export interface CallerIdentity {
  readonly credentials?: CredentialsSource | undefined;
  readonly authorization?: AuthorizationSource | undefined;
}

/**
 * The backend over the API at one address, or over those of several Regions.
 *
 * @throws IllegalArgumentError when requests are to be signed for a Region that nothing names
 */
export function apiBackend(addresses: Addresses, { credentials, authorization }: CallerIdentity): Backend {
  const [first, ...others] = addresses;
  const backendAt = ({ url, region }: Addresses[number]) => {
    let signer: Signer = noSigner;
    if (credentials) signer = new SigV4Signer(credentials, regionOf(url, region));
    else if (authorization) signer = new AuthorizationHeader(authorization);
    return new HttpBackend(url, signer);
  };
  if (others.length === 0) return backendAt(first);
  return new FailOverBackend([backendAt(first), ...others.map(backendAt)]);
}
