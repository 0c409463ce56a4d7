import { Token } from 'aws-cdk-lib';
import { Construct } from 'constructs';

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

const unknown = 'a value that is only known when the stack is deployed';

/** A value as a message shows it: tokens by what they are, objects of a class by its name. */
export function shown(value: unknown): string {
  if (isToken(value)) return unknown;
  if (value === undefined) return 'nothing';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (isOfClass(value)) return `a ${value.constructor.name}`;
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (isToken(part)) return `(${unknown})`;
    if (typeof part === 'bigint') return String(part);
    return isOfClass(part) ? `(a ${part.constructor.name})` : part;
  });
  return text ?? String(value);
}

// A list that holds a token is not one itself; a stack looks like one.
function isToken(value: unknown): boolean {
  return !Array.isArray(value) && !Construct.isConstruct(value) && Token.isUnresolved(value);
}

function isOfClass(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isPlainObject(value);
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** @throws Error unless it is an object of named values, which may have any of these names and no other */
export function checkNamed(
  prop: string,
  value: unknown,
  names: readonly string[],
  fix: string,
): asserts value is Readonly<Record<string, unknown>> {
  if (!isPlainObject(value) || Token.isUnresolved(value)) {
    throw refusal(prop, `must be an object with any of ${names.join(', ')}`, value, fix);
  }
  const other = Object.keys(value).find((name) => !names.includes(name));
  if (other !== undefined) throw refusal(prop, `must have no other names than ${names.join(', ')}`, other, fix);
}
