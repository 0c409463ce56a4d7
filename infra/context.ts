import { RemovalPolicy } from 'aws-cdk-lib';
import { limits } from '../sdk/wire/limits.ts';
import { concurrencyBounds, reservationBounds } from './concurrency.ts';
import { memoryBounds } from './function-settings.ts';
import { retentionDays } from './log-retention.ts';
import { type Bounds, refusal } from './refusal.ts';

const contextPrefix = 'holdfast:';

const keys = {
  removalPolicy: oneOf({ retain: RemovalPolicy.RETAIN, destroy: RemovalPolicy.DESTROY }),
  logRetentionDays: oneOf(Object.fromEntries(retentionDays.map((days) => [String(days), days]))),
  accessLogRetentionDays: oneOf(Object.fromEntries(retentionDays.map((days) => [String(days), days]))),
  lineLimit: wholeNumber(limits.lineLimit),
  maxLeaseMs: wholeNumber({ min: limits.leaseMs.min, max: limits.maxLeaseMs.ceiling }),
  acquireMemoryMb: wholeNumber(memoryBounds),
  leaseMemoryMb: wholeNumber(memoryBounds),
  adminMemoryMb: wholeNumber(memoryBounds),
  accountConcurrency: wholeNumber(concurrencyBounds),
  acquireReservedConcurrency: wholeNumber(reservationBounds.acquire),
  leaseReservedConcurrency: wholeNumber(reservationBounds.lease),
  adminReservedConcurrency: wholeNumber(reservationBounds.admin),
  alarms: oneOf({ on: true, off: false }),
  alarmsTopicArn: arn('sns', 'topic', /^[A-Za-z0-9_-]{1,256}(\.fifo)?$/),
  dashboard: oneOf({ on: true, off: false }),
  jwtIssuer: text(),
  jwtAudience: list(),
  jwtUseScope: text(),
  jwtReadScope: text(),
  jwtAdminScope: text(),
  domainName: text(),
  certificateArn: arn('acm', 'certificate', /^certificate\/[A-Za-z0-9-]+$/),
  hostedZoneId: text(),
  hostedZoneName: text(),
  region: text(),
  replicaRegions: list(),
  witnessRegion: text(),
  tableName: text(),
};

type Keys = typeof keys;

/** What the context says, by key, less what it does not mention. */
export type Settings = { readonly [key in keyof Keys]?: ReturnType<Keys[key]> };

/** The keys, as they are written in the context. */
export const contextKeys: readonly string[] = Object.keys(keys).map((key) => contextPrefix + key);

// Keys of which one makes no sense without the others; the optional ones need all of them.
const together: readonly { readonly needed: readonly (keyof Keys)[]; readonly optional: readonly (keyof Keys)[] }[] = [
  { needed: ['jwtIssuer', 'jwtAudience', 'jwtUseScope', 'jwtReadScope', 'jwtAdminScope'], optional: [] },
  { needed: ['domainName', 'certificateArn'], optional: ['hostedZoneId', 'hostedZoneName'] },
  { needed: ['hostedZoneId', 'hostedZoneName'], optional: [] },
  { needed: ['region', 'replicaRegions', 'tableName'], optional: ['witnessRegion'] },
];

/**
 * Reads the `holdfast:` keys of an app's context.
 *
 * @param context all of it, as `app.node.getAllContext()` gives it
 * @throws Error for a key that there is not, a value that a key cannot have, and keys that need others beside them
 */
export function settingsIn(context: Readonly<Record<string, unknown>>): Settings {
  const settings: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(context)) {
    const meant = contextKeys.find((known) => known !== name && lettersOf(known) === lettersOf(name));
    if (meant !== undefined) throw new Error(`There is no context key ${name}, but ${meant}. Write it like that.`);
    if (!name.startsWith(contextPrefix)) continue;
    const key = name.slice(contextPrefix.length);
    if (!Object.hasOwn(keys, key)) {
      throw new Error(`There is no context key ${name}. Known are: ${contextKeys.join(', ')}.`);
    }
    settings[key] = keys[key as keyof Keys](name, Array.isArray(value) ? value.join(',') : String(value));
  }
  for (const { needed, optional } of together) {
    const given = [...needed, ...optional].filter((key) => key in settings);
    const missing = needed.filter((key) => !(key in settings));
    if (given.length === 0 || missing.length === 0) continue;
    const named = (some: readonly string[]) => some.map((key) => contextPrefix + key).join(', ');
    throw new Error(`${named(given)} also needs ${named(missing)}. Set those, too, or leave these out.`);
  }
  return settings;
}

// Keys of others are not ours to judge, but for one that is ours in all but case and separators.
function lettersOf(key: string): string {
  return key.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function oneOf<T>(values: Readonly<Record<string, T>>) {
  return (key: string, given: string): T => {
    if (Object.hasOwn(values, given)) return values[given] as T;
    throw refusal(key, `must be one of ${Object.keys(values).join(', ')}`, given, 'Leave it out for the default.');
  };
}

function wholeNumber({ min, max }: Bounds) {
  return (key: string, given: string): number => {
    const value = /^\d+$/.test(given) ? Number(given) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw refusal(key, `must be a whole number from ${min} to ${max}`, given, 'Leave it out for the default.');
  };
}

function text() {
  return (key: string, given: string): string => {
    if (given !== '') return given;
    throw refusal(key, 'must be some text', given, 'Leave it out if you do not mean it.');
  };
}

function arn(service: string, what: string, resource: RegExp) {
  return (key: string, given: string): string => {
    const [scheme, partition, itsService, region, account, ...rest] = given.split(':');
    const isComplete = scheme === 'arn' && [partition, region].every((part) => /^[a-z0-9-]+$/.test(part ?? ''));
    if (isComplete && itsService === service && /^\d{12}$/.test(account ?? '') && resource.test(rest.join(':'))) {
      return given;
    }
    const example = `arn:aws:${service}:REGION:ACCOUNT:…`;
    throw refusal(key, `must be the ARN of a ${what} (${example})`, given, 'Copy it whole, or leave it out.');
  };
}

function list() {
  return (key: string, given: string): string[] => {
    const parts = given.split(',').map((part) => part.trim());
    if (parts.every((part) => part !== '')) return parts;
    throw refusal(key, 'must be one or more, with commas between them', given, 'Leave out what is empty.');
  };
}
