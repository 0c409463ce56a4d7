import type * as z from 'zod/mini';
import { displayText } from '../../sdk/wire/label.ts';

export interface Fault {
  /** A JSON pointer into the body, empty for the body itself. */
  readonly path: string;
  readonly detail: string;
}

/**
 * Lists every fault that a schema found: where, what is allowed, what was got.
 *
 * What was got is shown as a kind, and as a value only for numbers and flags: texts may be secrets.
 */
export function faultsOf(
  error: z.core.$ZodError,
  value: unknown,
  schema: z.ZodMiniType,
  pathOf: (name: string) => string = (name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
): Fault[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const allowed = Object.keys((schema as unknown as z.ZodMiniObject).shape).join(', ');
      return issue.keys.map((key) => ({
        path: pathOf(shortened(key)),
        detail: `is not a field of this request; allowed: ${allowed}`,
      }));
    }
    const name = issue.path[0];
    const got = name === undefined ? value : (value as Record<PropertyKey, unknown>)[name];
    return [{ path: name === undefined ? '' : pathOf(String(name)), detail: `${issue.message}, got ${kindOf(got)}` }];
  });
}

function shortened(key: string): string {
  const shown = displayText(key);
  return shown.length > 40 ? `${shown.slice(0, 40)}…` : shown;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return `text of ${value.length} characters`;
  return Array.isArray(value) ? 'an array' : 'an object';
}
