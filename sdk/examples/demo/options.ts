import { parseArgs } from 'node:util';

/** The text of `--help`. */
export const usage = `Usage: npm run demo -- [options]

  --url URL       use the lock service at this address (default: start one on this machine); requests are signed when
                  AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are set
  --prefix TEXT   put before every lock id
  --help          print this text
`;

export interface DemoOptions {
  readonly url: string | undefined;
  readonly prefix: string;
}

/** Reads the command line; throws for anything it does not understand. */
export function parseOptions(argv: readonly string[]): DemoOptions | 'help' {
  const { url, prefix, help } = parseArgs({
    args: [...argv],
    options: {
      url: { type: 'string' },
      prefix: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  }).values;
  return help ? 'help' : { url, prefix };
}
