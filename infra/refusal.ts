import { Token } from 'aws-cdk-lib';

/**
 * Why a prop is refused: what it must be, what it is, and what to do.
 *
 * @param must such as `must be a whole number from 1 to 64`
 */
export function refusal(prop: string, must: string, got: unknown, fix: string): Error {
  return new Error(`${prop} ${must}, got ${shown(got)}. ${fix}`);
}

/** Bounds of a number, both included. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** @throws Error unless the value is a whole number within the bounds, known at synthesis */
export function checkWholeNumber(prop: string, value: number, { min, max }: Bounds, unit = ''): void {
  if (!Token.isUnresolved(value) && Number.isInteger(value) && value >= min && value <= max) return;
  throw refusal(
    prop,
    `must be a whole number${unit} from ${min} to ${max}`,
    value,
    'Set it within these bounds, or leave it out for the default.',
  );
}

/** A value as a message shows it. */
function shown(value: unknown): string {
  if (Token.isUnresolved(value)) return 'a value that is only known when the stack is deployed';
  if (value === undefined) return 'nothing';
  if (typeof value === 'number') return String(value);
  return JSON.stringify(value) ?? String(value);
}
