import { parseArgs } from 'node:util';
import { type Limits, limitsOf } from './limits.ts';
import { OptionError } from './start-error.ts';

/** Where the locks are kept. */
export type Place =
  | { readonly kind: 'memory' }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'endpoint'; readonly url: string };

/** What the command line asks of the local stack. */
export interface Options {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly authorization: 'none' | 'iam';
  readonly place: Place;
  /** How much it takes before it refuses, as AWS does; nothing that is left out is limited. */
  readonly limits: Limits;
}

/** The text of `--help`, for whoever typed this command. */
export const usageOf = (command: string) => `Usage: ${command} [options]

Runs the lock service on this machine: the HTTP API, the functions behind it and a DynamoDB, in one process.

  --port N         port of the API, 0 for any free one (default 3000)
  --host H         address to listen on (default 127.0.0.1); whoever reaches it can take locks
  --memory         keep the locks in memory, gone when it stops (the default)
  --data DIR       keep the locks in this folder, so that they survive a restart
  --dynamodb URL   keep the locks in the DynamoDB at this address, such as DynamoDB Local
  --auth none|iam  iam: requests must be signed with the test key pair that it prints (default none)
  --concurrency N  run at most N functions at once, as an AWS account does; the rest get 503 (default: no limit)
  --reserve F=N    set N of them aside for function F (acquire, lease or admin), which never gets more; repeatable
  --throttle R=RATE:BURST
                   let route R (try, acquire, renew, …) take RATE requests a second and BURST at once; the rest get
                   429; repeatable
  --throttle defaults
                   the throttles of a deployment in an account with that concurrency (1000 unless given)
  --help           print this text
`;

/**
 * Reads the command line.
 *
 * @param testEndpoint a DynamoDB to use where the command line names no place (`HOLDFAST_TEST_DYNAMODB`)
 * @throws OptionError for anything it does not understand
 */
export function parseOptions(argv: readonly string[], testEndpoint?: string): Options | 'help' {
  const values = parse(argv);
  if (values.help) return 'help';
  const { host } = values;
  if (host === '') throw new OptionError('--host must be an address or a host name, got nothing');
  return {
    host,
    port: portOf(values.port),
    authorization: authorizationOf(values.auth),
    place: placeOf(values, testEndpoint),
    limits: limitsOf(values),
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        port: { type: 'string', default: '3000' },
        host: { type: 'string', default: '127.0.0.1' },
        memory: { type: 'boolean', default: false },
        data: { type: 'string' },
        dynamodb: { type: 'string' },
        auth: { type: 'string', default: 'none' },
        concurrency: { type: 'string' },
        reserve: { type: 'string', multiple: true, default: [] },
        throttle: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    // Node's message goes on about how to escape dashes, which helps nobody here.
    const said = (error as Error).message.split(/\.\s|\n/)[0]?.replace(/\.$/, '');
    throw new OptionError(`${said}. Run with --help to see the options.`);
  }
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new OptionError(`--port must be a whole number from 0 to 65535, got "${text}"`);
}

function authorizationOf(text: string): Options['authorization'] {
  if (text === 'none' || text === 'iam') return text;
  throw new OptionError(`--auth must be none or iam, got "${text}"`);
}

function placeOf(
  { memory, data, dynamodb }: { memory: boolean; data?: string | undefined; dynamodb?: string | undefined },
  testEndpoint: string | undefined,
): Place {
  const chosen = [memory && '--memory', data !== undefined && '--data', dynamodb !== undefined && '--dynamodb'].filter(
    (name) => name !== false,
  );
  if (chosen.length > 1) {
    throw new OptionError(
      `the locks can be kept in one place only, got ${chosen.join(' and ')}; leave out all but one`,
    );
  }
  if (data === '') throw new OptionError('--data must be the path of a folder, got nothing');
  if (data !== undefined) return { kind: 'folder', path: data };
  const endpoint = dynamodb ?? (memory ? undefined : testEndpoint || undefined);
  return endpoint === undefined ? { kind: 'memory' } : { kind: 'endpoint', url: endpointOf(endpoint) };
}

function endpointOf(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new OptionError(`--dynamodb must be an address such as http://127.0.0.1:8000, got "${text}"`);
}
