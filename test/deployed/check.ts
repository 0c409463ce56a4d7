import type { CredentialsProvider } from './caller-credentials.ts';
import type { Deployment } from './deployment.ts';
import type { Options } from './options.ts';

/** What a check found. */
export type Finding =
  | { readonly result: 'ok' | 'FAILED'; readonly got: string }
  | { readonly result: 'skipped'; readonly reason: string };

/** One thing that a deployment has to show. */
export interface Check {
  readonly what: string;
  readonly expected: string;
  /** Rejecting counts as failed. */
  run(): Promise<Finding>;
}

/** What checks work with. */
export interface Setting {
  readonly deployment: Deployment;
  readonly options: Options;
  /** Who may only use, and who may only read, locks under the prefix. */
  readonly use: CredentialsProvider | undefined;
  readonly read: CredentialsProvider | undefined;
}

/** A finding: right or not, and what was got. */
export function found(isRight: boolean, got: string): Finding {
  return { result: isRight ? 'ok' : 'FAILED', got };
}

export function skipped(reason: string): Finding {
  return { result: 'skipped', reason };
}
