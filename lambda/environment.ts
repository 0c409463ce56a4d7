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
  /** How many may stand in line for one lock. */
  readonly lineLimit: number;
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
  const { leaseMs, maxLeaseMs, lineLimit } = limits;
  return {
    table,
    authorization,
    maxLeaseMs: wholeNumber(env, names.maxLeaseMs, 'a whole number of milliseconds', {
      min: leaseMs.min,
      max: maxLeaseMs.ceiling,
      default: maxLeaseMs.default,
    }),
    lineLimit: wholeNumber(env, names.lineLimit, 'a whole number', lineLimit),
    service: env[names.service] || 'holdfast',
  };
}

function wholeNumber(
  env: Record<string, string | undefined>,
  name: string,
  what: string,
  bounds: { readonly min: number; readonly max: number; readonly default: number },
): number {
  const value = Number(env[name] ?? bounds.default);
  if (Number.isInteger(value) && value >= bounds.min && value <= bounds.max) return value;
  throw new Error(`${name} must be ${what} from ${bounds.min} to ${bounds.max}, got ${env[name]}`);
}
