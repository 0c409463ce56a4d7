/** AWS credentials. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Credentials, or what gives them; it is asked before each request. */
export type CredentialsSource = Credentials | (() => Credentials | Promise<Credentials>);

/** What gives the value of the `Authorization` header, such as `Bearer …`; it is asked before each request. */
export type AuthorizationSource = () => string | Promise<string>;
