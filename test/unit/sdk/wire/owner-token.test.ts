import { requestSchemas } from '../../../../sdk/wire/messages.ts';
import { newOwnerToken } from '../../../../sdk/wire/owner-token.ts';

describe('owner token', () => {
  it('is 22 characters of base64url, as the contract wants it', () => {
    const { release } = requestSchemas();
    for (let at = 0; at < 1_000; at++) {
      const ownerToken = newOwnerToken();
      expect(ownerToken).toMatch(/^[A-Za-z0-9_-]{22}$/);
      expect(release.safeParse({ ownerToken }).success).toBe(true);
    }
  });

  it('carries all 128 random bits', () => {
    const fill = jest.spyOn(crypto, 'getRandomValues');
    for (let at = 0; at < 200; at++) {
      const token = newOwnerToken();
      const bytes = fill.mock.results.at(-1)?.value as Uint8Array;
      expect(bytes).toHaveLength(16);
      expect(Buffer.from(token, 'base64url')).toEqual(Buffer.from(bytes));
    }
    fill.mockRestore();
  });

  it('is new each time', () => {
    expect(new Set(Array.from({ length: 1_000 }, newOwnerToken)).size).toBe(1_000);
  });
});
