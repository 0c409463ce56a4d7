import { parseArgs } from 'node:util';
import { isLoopback } from '../../sdk/api-addresses.ts';
import { decodeLockId, encodeLockId, lockIdFault } from '../../sdk/wire/lock-id.ts';

/** The kinds of checks, in the order in which they run. */
export const groups = [
  'signatures',
  'paths',
  'bodies',
  'locks',
  'waits',
  'clocks',
  'grants',
  'throttles',
  'demo',
] as const;
export type Group = (typeof groups)[number];

/** Who calls: a role to assume, or a profile of the AWS configuration. */
export type Caller = { readonly role: string } | { readonly profile: string };

/** What the command line asks for. */
export interface Options {
  readonly url: URL;
  readonly region: string | undefined;
  /** The administrator. Left out: the credentials of the environment, or whatever else the AWS SDK finds. */
  readonly profile: string | undefined;
  /** Who may only use, and who may only read, locks under `lockPrefix`. */
  readonly use: Caller | undefined;
  readonly read: Caller | undefined;
  /** Stands before every lock id of the run. */
  readonly lockPrefix: string;
  /** How many requests the burst may send; 0: none. */
  readonly burst: number;
  readonly demo: boolean;
  readonly only: readonly Group[];
  readonly json: boolean;
}

/** The most that a burst may send: 20,000 reads cost a few cents. */
const burstLimit = 20_000;
const longestPrefixBytes = 64;

/** The text of `--help`. */
export const usage = `Usage: npm run verify:deployed -- --url URL [options]

Checks what only a deployment can show: signatures, paths, limits, grants, waits, clocks. Sends about 300 requests in
half a minute (more where an account has few slots and is throttled), and gives back every lock that it takes. Call it as an
administrator of the locks.

  --url URL            address of the API (default: HOLDFAST_URL)
  --region NAME        Region to sign for, unless the host name says it
  --profile NAME       AWS profile of the administrator (default: whatever credentials the AWS SDK finds)
  --use-role ARN       a role that grantUse with a prefix was given to, or --use-profile NAME
  --read-role ARN      a role that grantRead with a prefix was given to, or --read-profile NAME
  --lock-prefix TEXT   that prefix; every lock of the run has an id that begins with it
  --burst N            send up to N looks as fast as they go, until the API throttles (costs; default 0: do not)
  --demo               run the demo against the deployment (about 2,500 requests)
  --only GROUP,…       some checks: ${groups.join(', ')}
  --json               print one JSON document in place of lines
  --help               print this text

Exit code: 0 nothing failed, 1 something failed, 2 it could not begin.
`;

/** Why it could not begin: what was wrong, what was got, what to do. */
export class UsageError extends Error {
  override name = 'UsageError' as const;
}

/**
 * Reads the command line.
 *
 * @throws UsageError for anything it does not understand
 */
export function parseOptions(argv: readonly string[], env: Record<string, string | undefined>): Options | 'help' {
  const values = parse(argv);
  if (values.help) return 'help';
  const use = callerOf('use', values['use-role'], values['use-profile']);
  const read = callerOf('read', values['read-role'], values['read-profile']);
  const lockPrefix = prefixOf(values['lock-prefix'] ?? '');
  if ((use || read) && lockPrefix === '') {
    throw new UsageError('--use-… and --read-… need --lock-prefix, the prefix that was granted to them; got none');
  }
  return {
    url: urlOf(values.url ?? env['HOLDFAST_URL']),
    region: values.region,
    profile: values.profile,
    use,
    read,
    lockPrefix,
    burst: burstOf(values.burst),
    demo: values.demo,
    only: values.only === undefined ? groups : groupsOf(values.only),
    json: values.json,
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        url: { type: 'string' },
        region: { type: 'string' },
        profile: { type: 'string' },
        'use-role': { type: 'string' },
        'use-profile': { type: 'string' },
        'read-role': { type: 'string' },
        'read-profile': { type: 'string' },
        'lock-prefix': { type: 'string' },
        burst: { type: 'string', default: '0' },
        demo: { type: 'boolean', default: false },
        only: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('\n')[0]}. Run with --help to see the options.`);
  }
}

function urlOf(text: string | undefined): URL {
  const rule = '--url must be the https address of the API, as the deployment prints it (http: of this machine only)';
  if (text === undefined || !URL.canParse(text)) throw new UsageError(`${rule}, got ${text ?? 'nothing'}`);
  const url = new URL(text);
  // Owner tokens go over it.
  const isPrivate = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
  if (!isPrivate || url.username || url.search || url.hash) {
    throw new UsageError(`${rule}, got ${url.protocol}//${url.host}${url.pathname}`);
  }
  if (/\/v1(\/|$)/.test(url.pathname)) {
    throw new UsageError(
      `--url must end before /v1, which each request adds; got ${url.protocol}//${url.host}${url.pathname}`,
    );
  }
  return url;
}

function callerOf(name: string, role: string | undefined, profile: string | undefined): Caller | undefined {
  if (role !== undefined && profile !== undefined) {
    throw new UsageError(`--${name}-role and --${name}-profile exclude one another; got both`);
  }
  if (role !== undefined && !/^arn:[^:]+:iam::\d{12}:role\/.+/.test(role)) {
    throw new UsageError(`--${name}-role must be the ARN of an IAM role, got ${role}`);
  }
  if (role !== undefined) return { role };
  return profile === undefined ? undefined : { profile };
}

function prefixOf(text: string): string {
  const bytes = Buffer.byteLength(text);
  const isValid = lockIdFault(`${text}x`) === undefined && decodeLockId(encodeLockId(`${text}x`)) === `${text}x`;
  if (isValid && bytes <= longestPrefixBytes) return text;
  throw new UsageError(`--lock-prefix must be well-formed text of at most ${longestPrefixBytes} bytes, got ${bytes}`);
}

function burstOf(text: string): number {
  const burst = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (burst <= burstLimit) return burst;
  throw new UsageError(`--burst must be a whole number from 0 to ${burstLimit}, got "${text}"`);
}

function groupsOf(text: string): Group[] {
  const names = text.split(',');
  const unknown = names.find((name) => !groups.includes(name as Group));
  if (unknown !== undefined) {
    throw new UsageError(`--only must name some of ${groups.join(', ')}, got "${unknown}"`);
  }
  return groups.filter((group) => names.includes(group));
}
