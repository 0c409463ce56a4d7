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
  pathOf: (names: readonly string[]) => string = pointer,
): Fault[] {
  return error.issues.flatMap((issue) => {
    const names = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      const allowed = fieldsAt(schema, names).join(', ');
      return issue.keys.map((key) => ({
        path: pathOf([...names, shortened(key)]),
        detail: `is not a field of this request; allowed: ${allowed}`,
      }));
    }
    return [{ path: pathOf(names), detail: `${issue.message}, got ${kindOf(valueAt(value, names))}` }];
  });
}

// RFC 6901.
function pointer(names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function valueAt(value: unknown, names: readonly string[]): unknown {
  return names.reduce((inner, name) => (inner as Record<string, unknown>)[name], value);
}

function fieldsAt(schema: z.ZodMiniType, names: readonly string[]): string[] {
  const inner = names.reduce<unknown>((outer, name) => {
    const field = (outer as z.ZodMiniObject).shape[name] as z.ZodMiniOptional<z.ZodMiniObject>;
    return field.def.innerType;
  }, schema);
  return Object.keys((inner as z.ZodMiniObject).shape);
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
