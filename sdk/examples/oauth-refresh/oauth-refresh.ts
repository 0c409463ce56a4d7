// An access token that many callers on many nodes share: when it has expired, one of them refreshes it.
//
// A refresh token is good for one refresh, so two callers that refresh at once would lock everybody out. The check is
// made twice: without the lock, which costs nothing while the token is good, and again under it, because by then the
// one before in line has refreshed. (The token is kept in a file here; with a database nothing changes. Callers of one
// process that share the promise of one get() need not stand in line each.)
//
//   npm start                                                               # in one terminal: the service
//   node --import tsx sdk/examples/oauth-refresh/token-endpoint.ts 4000     # in another: somebody who gives tokens
//   export HOLDFAST_URL=http://127.0.0.1:3000                               # in a third:
//   echo '{"refreshToken":"refresh-0"}' > /tmp/token.json
//   callers='node --import tsx sdk/examples/oauth-refresh/oauth-refresh.ts /tmp/token.json http://127.0.0.1:4000 25'
//   $callers & $callers & wait

import { readFile, rename, writeFile } from 'node:fs/promises';
import { LockFactory } from '../../index.ts';

interface Token {
  readonly refreshToken: string;
  readonly accessToken?: string;
  readonly expiresAtMs?: number;
}

// A token that is about to expire might do so on its way.
const marginMs = 5_000;

class AccessTokens {
  constructor(
    private readonly locks: LockFactory,
    private readonly file: string,
    private readonly endpoint: string,
  ) {}

  async get(): Promise<string> {
    const { accessToken } = await this.read();
    return accessToken ?? this.locks.withLock('oauth-refresh', () => this.refresh());
  }

  private async refresh(): Promise<string> {
    const { accessToken, refreshToken } = await this.read();
    if (accessToken) return accessToken;
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
    const response = await fetch(this.endpoint, { method: 'POST', body });
    if (!response.ok) throw new Error(`the token endpoint answered ${response.status}: ${await response.text()}`);
    const { access_token, refresh_token, expires_in } = await response.json();
    const token = {
      accessToken: access_token,
      refreshToken: refresh_token,
      expiresAtMs: Date.now() + expires_in * 1_000,
    };
    // Also by a holder that was frozen past its lease: the endpoint took the old refresh token from us, so nobody has a
    // newer one. (What the resource checks by itself needs no fencing token.)
    const draft = `${this.file}.${process.pid}`;
    await writeFile(draft, JSON.stringify(token));
    await rename(draft, this.file);
    return access_token;
  }

  /** The token as it is kept, without an access token that has expired. */
  private async read(): Promise<Token> {
    const { accessToken, expiresAtMs = 0, ...rest }: Token = JSON.parse(await readFile(this.file, 'utf8'));
    return expiresAtMs - marginMs > Date.now() && accessToken ? { ...rest, accessToken } : rest;
  }
}

async function main([file = '', endpoint = '', callers = '25']: string[]): Promise<void> {
  const tokens = new AccessTokens(LockFactory.fromEnv(), file, endpoint);
  const got = await Promise.all(Array.from({ length: Number(callers) }, () => tokens.get()));
  console.log(`${got.length} callers got ${[...new Set(got)].join(' and ')}`);
}

void main(process.argv.slice(2));
