import type { AuthorizationSource } from '../credentials.ts';
import { IllegalArgumentError } from '../errors.ts';
import type { HttpRequest, Signer } from './signer.ts';

/** Authorizes each request with a header that the application gives, such as `Bearer` and a JSON Web Token. */
export class AuthorizationHeader implements Signer {
  readonly #source: AuthorizationSource;

  constructor(source: AuthorizationSource) {
    this.#source = source;
  }

  async sign({ headers }: HttpRequest): Promise<Record<string, string>> {
    const authorization: unknown = await this.#source();
    // The runtime would refuse it too, and quote it in its error.
    if (typeof authorization !== 'string' || !/^[!-~]+( [!-~]+)*$/.test(authorization)) {
      throw new IllegalArgumentError(
        'authorization must give the value of a header: printable ASCII, without spaces at its ends; it gave something else',
      );
    }
    return { ...headers, authorization };
  }

  learn(): boolean {
    return false;
  }
}
