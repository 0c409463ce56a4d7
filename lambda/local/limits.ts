import { type FunctionName, type Operation, routes } from '../../sdk/wire/routes.ts';
import { type Concurrency, defaultAccountConcurrency, defaultThrottles, type Throttle } from '../throttles.ts';
import type { Throttles } from './gateway/route-throttles.ts';
import { OptionError } from './start-error.ts';

/** How much the local stack takes. */
export interface Limits {
  /** How many functions run at once; nothing: any number. */
  readonly concurrency?: Concurrency;
  readonly throttles: Throttles;
}

const functionNames = [...new Set(Object.values(routes).map((route) => route.function))];

/**
 * Reads the options that limit what the local stack takes.
 *
 * @throws OptionError for anything it does not understand
 */
export function limitsOf(values: {
  concurrency?: string | undefined;
  reserve: readonly string[];
  throttle: readonly string[];
}): Limits {
  refuseRepeated('--reserve', values.reserve);
  refuseRepeated('--throttle', values.throttle);
  const isLimited = values.concurrency !== undefined || values.reserve.length > 0;
  const concurrency = {
    account: accountOf(values.concurrency),
    reserved: Object.fromEntries(values.reserve.map(reservationOf)),
  };
  const reserved = Object.values(concurrency.reserved).reduce((sum, slots) => sum + slots, 0);
  if (reserved >= concurrency.account) {
    const all = concurrency.account;
    throw new OptionError(
      `--reserve must leave some of the ${all} of --concurrency to the other functions, got ${reserved}`,
    );
  }
  const throttles: Partial<Record<Operation, Throttle>> = values.throttle.includes('defaults')
    ? { ...defaultThrottles(concurrency) }
    : {};
  for (const text of values.throttle) {
    if (text === 'defaults') continue;
    const [operation, throttle] = throttleOf(text);
    throttles[operation] = throttle;
  }
  return { ...(isLimited && { concurrency }), throttles };
}

// One of them would count, and nobody would know which.
function refuseRepeated(option: string, texts: readonly string[]): void {
  const names = texts.map((text) => text.split('=')[0]);
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined) throw new OptionError(`${option} must name ${repeated} only once, got it twice`);
}

/** What to tell people of the limits, a line each. */
export function limitsText({ concurrency, throttles }: Limits): string[] {
  const lines: string[] = [];
  if (concurrency) {
    const reserved = Object.entries(concurrency.reserved).map(([name, slots]) => `, ${slots} of them only ${name}`);
    lines.push(`functions: at most ${concurrency.account} at once${reserved.join('')}`);
  }
  const each = Object.entries(throttles).map(
    ([operation, { requestsPerSecond, burst }]) => `${operation} ${requestsPerSecond}/s (${burst} at once)`,
  );
  if (each.length > 0) lines.push(`throttled: ${each.join(', ')}`);
  return lines;
}

function accountOf(text: string | undefined): number {
  if (text === undefined) return defaultAccountConcurrency;
  return wholeNumber(text) ?? refuse('--concurrency must be a whole number from 1', text);
}

function reservationOf(text: string): [FunctionName, number] {
  const [name = '', slots = '', ...more] = text.split('=');
  const found = functionNames.find((each) => each === name);
  const count = wholeNumber(slots);
  if (found && count !== undefined && more.length === 0) return [found, count];
  return refuse(`--reserve must be one of ${functionNames.join(', ')} with a number, such as lease=20`, text);
}

function throttleOf(text: string): [Operation, Throttle] {
  const [, name, rate, burst = ''] = /^([a-z]+)=(\d+(?:\.\d+)?):(\d+)$/.exec(text) ?? [];
  const operation = Object.values(routes).find((route) => route.operation === name)?.operation;
  const atOnce = wholeNumber(burst);
  if (operation && atOnce !== undefined) return [operation, { requestsPerSecond: Number(rate), burst: atOnce }];
  const names = Object.keys(routes).join(', ');
  return refuse(`--throttle must be defaults, or one of ${names} with two numbers, such as acquire=20:100`, text);
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
}

function refuse(expectation: string, got: string): never {
  throw new OptionError(`${expectation}, got "${got}"`);
}
