import { testKeyPair } from '../../lambda/local/test-key-pair.ts';
import { signedHeaders } from '../deployed/raw-request.ts';
import { iamMatches } from '../unit/infra/iam-glob.ts';
import type { Alteration, PassingAnswer, PassingRequest } from './altering-proxy.ts';

/** A key pair, and what its owner may invoke: method and path of a resource, such as `GET/v1/locks/a*`. */
export interface Principal {
  readonly accessKeyId: string;
  readonly allowed: readonly string[];
}

const forbidden: PassingAnswer = {
  status: 403,
  headers: { 'content-type': 'application/json' },
  body: '{"message":"Forbidden"}',
};

/**
 * IAM policies before a local stack, which has none: a principal's request is matched against what it may invoke, by
 * the path as it was sent, then signed anew with the test key pair. Who is none of the principals is passed on.
 *
 * @param served what a gateway would serve for the path as it was sent; default: that path
 */
export function policies(principals: readonly Principal[], served = (path: string) => path): Alteration {
  return {
    async request(request) {
      const keyId = /Credential=([^/]+)/.exec(request.headers['authorization'] ?? '')?.[1];
      const principal = principals.find(({ accessKeyId }) => accessKeyId === keyId);
      if (!principal) return request;
      const [path = ''] = request.path.split('?');
      const resource = `${request.method}${path}`;
      if (!principal.allowed.some((pattern) => iamMatches(pattern, resource))) return forbidden;
      return resigned({ ...request, path: served(request.path) });
    },
  };
}

/** The same request, signed with the test key pair. */
export async function resigned(request: PassingRequest): Promise<PassingRequest> {
  const { method, body } = request;
  const [path = '', query] = request.path.split('?');
  const { host = '', 'content-type': type } = request.headers;
  const signing = { credentials: testKeyPair, region: 'us-east-1', date: new Date() };
  const headers = await signedHeaders(
    { method, path, query, headers: { host, ...(type !== undefined && { 'content-type': type }) }, body },
    signing,
  );
  return { ...request, headers };
}
