/**
 * AWS credentials. They are in no log line and no error.
 *
 * @example const credentials: Credentials = { accessKeyId: 'AKIA…', secretAccessKey: '…' };
 */
export interface Credentials {
  /** Not empty. */
  readonly accessKeyId: string;
  /** Not empty; a secret. */
  readonly secretAccessKey: string;
  /** Of temporary credentials; not empty. Left out for others. */
  readonly sessionToken?: string;
}

/** Credentials, or what gives them; it is asked before each request. */
export type CredentialsSource = Credentials | (() => Credentials | Promise<Credentials>);

/** What gives the value of the `Authorization` header, such as `Bearer …`; it is asked before each request. */
export type AuthorizationSource = () => string | Promise<string>;
