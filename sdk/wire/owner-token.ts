/**
 * Makes the owner token of one acquisition: 128 random bits as 22 characters of base64url.
 *
 * A token is used for one acquisition and never again; whoever knows it may renew and release.
 */
export function newOwnerToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .slice(0, 22);
}
