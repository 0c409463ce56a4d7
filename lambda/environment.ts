import { limits } from '../sdk/wire/limits.ts';
import { type Authorization, authorizations } from './http/caller.ts';
import { environmentNames as names } from './names.ts';

/** What a function is told by its environment. */
export interface FunctionEnvironment {
  readonly table: string;
  readonly authorization: Authorization;
  /** Milliseconds. */
  readonly maxLeaseMs: number;
  /** Name of the deployment in log lines and metrics. */
  readonly service: string;
}

/**
 * Reads a function's environment.
 *
 * @throws Error naming the variable, what is allowed and what was got. Authorization has no default: a function that
 * nobody told who authorizes must not serve.
 */
export function functionEnvironment(env: Record<string, string | undefined>): FunctionEnvironment {
  const table = env[names.table];
  if (!table) throw new Error(`${names.table} must be the name of the table, got nothing`);
  const authorization = authorizations.find((known) => known === env[names.authorization]);
  if (!authorization) {
    throw new Error(
      `${names.authorization} must be one of ${authorizations.join(', ')}, got ${env[names.authorization]}`,
    );
  }
  const maxLeaseMs = Number(env[names.maxLeaseMs] ?? limits.maxLeaseMs.default);
  const { min } = limits.leaseMs;
  const { ceiling } = limits.maxLeaseMs;
  if (!Number.isInteger(maxLeaseMs) || maxLeaseMs < min || maxLeaseMs > ceiling) {
    throw new Error(
      `${names.maxLeaseMs} must be a whole number of milliseconds from ${min} to ${ceiling}, got ${env[names.maxLeaseMs]}`,
    );
  }
  return { table, authorization, maxLeaseMs, service: env[names.service] || 'holdfast' };
}
