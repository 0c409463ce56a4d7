import { AwsV4Signer } from 'aws4fetch';
import { isLoopback, regionInHost } from '../api-addresses.ts';
import type { CredentialsSource } from '../credentials.ts';
import { regionFromEnvironment } from '../environment.ts';
import { IllegalArgumentError } from '../errors.ts';

/** A request as it is sent. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Signs requests, or leaves them as they are. */
export interface Signer {
  /** The headers to send. Rejects when there are no credentials. */
  sign(request: HttpRequest): Promise<Record<string, string>>;
  /**
   * Learns from a refusal: true when this host's clock is so wrong that signing by the server's clock may help.
   *
   * @param serverDate the `Date` header of the refusal
   */
  learn(serverDate: string | null): boolean;
}

export const noSigner: Signer = {
  sign: async ({ headers }) => ({ ...headers }),
  learn: () => false,
};

// AWS refuses signatures that are more than 5 minutes off.
const worthCorrectingMs = 4 * 60_000;

/** Signs with AWS Signature Version 4 for API Gateway (`execute-api`). */
export class SigV4Signer implements Signer {
  readonly #credentials: CredentialsSource;
  readonly #region: string;
  readonly #wallMs: () => number;
  #offsetMs = 0;

  constructor(credentials: CredentialsSource, region: string, wallMs: () => number = Date.now) {
    this.#credentials = credentials;
    this.#region = region;
    this.#wallMs = wallMs;
  }

  async sign(request: HttpRequest): Promise<Record<string, string>> {
    const source = this.#credentials;
    const { accessKeyId, secretAccessKey, sessionToken } = typeof source === 'function' ? await source() : source;
    const signer = new AwsV4Signer({
      method: request.method,
      url: request.url,
      headers: { ...request.headers },
      ...(request.body !== undefined && { body: request.body }),
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      // Given, never guessed: the library's guess is silently wrong for custom domains.
      service: 'execute-api',
      region: this.#region,
      datetime: amzDate(this.#wallMs() + this.#offsetMs),
    });
    const { headers } = await signer.sign();
    return Object.fromEntries(headers.entries());
  }

  learn(serverDate: string | null): boolean {
    const serverMs = Date.parse(serverDate ?? '');
    if (Number.isNaN(serverMs)) return false;
    const offsetMs = serverMs - this.#wallMs();
    if (Math.abs(offsetMs - this.#offsetMs) < worthCorrectingMs) return false;
    this.#offsetMs = offsetMs;
    return true;
  }
}

// 20260131T235959Z, the form that the signature wants.
function amzDate(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/[:-]|\.\d{3}/g, '');
}

/**
 * The Region to sign for: given, or in the host name, or in the environment. The local stack takes any.
 *
 * @throws IllegalArgumentError when none of them says
 */
export function regionOf(url: URL, given?: string): string {
  const region = given ?? regionInHost(url) ?? regionFromEnvironment();
  if (region !== undefined) return region;
  if (isLoopback(url)) return 'local';
  throw new IllegalArgumentError(
    `the Region of ${url.host} is not in its name; give region, or set HOLDFAST_REGION or AWS_REGION`,
  );
}
