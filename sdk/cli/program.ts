import { Command, Help, Option } from 'commander';
import { version } from '../../package.json';
import { leaseRange } from './duration.ts';
import { defaultExitCodes, type ExitCodes, exitCodeOptions } from './exit-codes.ts';
import {
  type CommonValues,
  commandOf,
  exitCodesIn,
  fenceOf,
  type HoldValues,
  holdIn,
  leaseFileOf,
  newLeaseFileOf,
} from './option-values.ts';
import { StandardError } from './standard-error.ts';
import { UsageError } from './usage-error.ts';

/** What ran, to be told how it ended. */
export interface Outcome {
  exitCode: number;
  exitCodes: ExitCodes;
  standardError: StandardError;
  /** The help or the version, where that was asked for. */
  text: string;
}

const runUsage = '<lockId> [options] -- command [args...]';
const waitText =
  'how long to wait for the lock (default: as long as it takes, also while the service answers with faults)';

const examples = `
Examples:
  holdfast run nightly-report --no-wait -- ./report.sh    cron without overlap: skips when it still runs
  holdfast run deploy/prod --wait 30m -- ./deploy.sh      one deployment at a time
  holdfast acquire migration --lease 10m --lease-file l   a lock that is held from one step of a job …
  holdfast release --lease-file l                         … to another
  holdfast list --prefix deploy/                          who holds what

Exit codes: ${Object.entries(defaultExitCodes)
  .map(([name, code]) => `${code} ${name}`)
  .join(', ')}; otherwise those of the command that ran.
The address comes from HOLDFAST_URL. More: sdk/cli/README.md of the package holdfast.
`;

// Commander would leave out what stands behind the --.
function subcommandTerm(command: Command): string {
  return command.name() === 'run' ? `run ${runUsage}` : new Help().subcommandTerm(command);
}

/**
 * The command line.
 *
 * @param command what stands behind the first `--`; nothing: there is none
 * @param outcome filled as the command goes on
 */
export function programFor(command: readonly string[] | undefined, outcome: Outcome): Command {
  const output = {
    outputError: () => undefined,
    writeOut: (text: string) => {
      outcome.text += text;
    },
  };
  const program = new Command('holdfast')
    .configureHelp({ subcommandTerm })
    .description('A distributed lock as a service: flock for many machines.')
    .version(version)
    .addHelpText('after', examples)
    .helpCommand(false)
    .configureOutput(output)
    .exitOverride();

  const sub = (name: string, description: string) => {
    const made = program.command(name).description(description).configureOutput(output);
    made.exitOverride().option('--url <url>', 'address of the locks (default: HOLDFAST_URL)');
    return made.option('--json', 'one object per line, for programs');
  };
  const exitCodeOption = (made: Command, ...names: (keyof ExitCodes)[]) => {
    made.optionsGroup('Exit codes:');
    for (const name of [...names, 'service', 'usage'] as const) {
      made.option(`${exitCodeOptions[name]} <n>`, `instead of ${defaultExitCodes[name]}`);
    }
    return made;
  };
  const begin = (values: CommonValues) => {
    outcome.standardError = new StandardError(values.json === true);
    outcome.exitCodes = exitCodesIn(values);
    return {
      standardError: outcome.standardError,
      exitCodes: outcome.exitCodes,
      url: values.url,
      json: values.json === true,
    };
  };
  const holdOptions = (made: Command, lease: string) =>
    made
      .option('--lease <duration>', `length of the lease, ${leaseRange.text}`, lease)
      .option('--holder <text>', 'label for people who look at the lock (default: host name and process id)');

  const runCommand = sub('run', 'run a command under a lock, and release it')
    .usage(runUsage)
    .argument('[lockId]', 'the lock')
    .allowExcessArguments()
    .option('--wait <duration>', waitText)
    .option('--no-wait', 'do not wait')
    .option('--foreground', 'leave the command in the terminal’s foreground; see the documentation');
  const waits = new Set<string>();
  for (const name of ['wait', 'no-wait']) runCommand.on(`option:${name}`, () => waits.add(name));
  exitCodeOption(holdOptions(runCommand, '30s'), 'conflict', 'lost').action(
    async (_: string | undefined, values: HoldValues & { foreground?: boolean }, { args }: Command) => {
      const { standardError, exitCodes, url } = begin(values);
      if (waits.size > 1) throw new UsageError('--wait and --no-wait exclude each other: give one of them');
      const [lockId, words] = commandOf(args, command);
      const { run } = await import('./run/run.ts');
      const options = {
        lockId,
        command: words,
        url,
        exitCodes,
        isForeground: values.foreground === true,
        ...holdIn(values),
      };
      outcome.exitCode = await run(options, standardError);
    },
  );

  for (const [name, description] of [
    ['try', 'take a lock if it is free now, and keep its lease for later steps'],
    ['acquire', 'wait for a lock, and keep its lease for later steps'],
  ] as const) {
    const taking = sub(name, description).argument('<lockId>', 'the lock');
    if (name === 'acquire') {
      taking.option('--wait <duration>', waitText);
    }
    taking
      .option('--lease-file <file>', 'where the lease is kept; only you can read it, and it must not be there yet')
      .option('--print-lease', 'print the lease, a secret');
    exitCodeOption(holdOptions(taking, '5m'), 'conflict').action(
      async (lockId: string, values: HoldValues & { leaseFile?: string; printLease?: boolean }) => {
        const { standardError, url, json } = begin(values);
        const { printLease = false } = values;
        const leaseFile = newLeaseFileOf(values.leaseFile);
        const { take } = await import('./take.ts');
        const hold = { ...holdIn(values), ...(name === 'try' && { waitMs: 0 }) };
        outcome.exitCode = await take({ lockId, leaseFile, printLease, json, url, ...hold }, standardError);
      },
    );
  }

  const renewing = sub('renew', 'go on with a lease for its whole length')
    .requiredOption('--lease-file <file>', 'where the lease is kept; -: the standard input')
    .option('--print-lease', 'print the renewed lease, a secret');
  exitCodeOption(renewing, 'lost').action(
    async (values: CommonValues & { leaseFile: string; printLease?: boolean }) => {
      const { url, json } = begin(values);
      const { renew } = await import('./renew.ts');
      outcome.exitCode = await renew({
        leaseFile: leaseFileOf(values.leaseFile),
        printLease: values.printLease === true,
        json,
        url,
      });
    },
  );

  const releasing = sub('release', 'give a lock back, and remove its lease file').requiredOption(
    '--lease-file <file>',
    'where the lease is kept; -: the standard input',
  );
  exitCodeOption(releasing, 'lost').action(async (values: CommonValues & { leaseFile: string }) => {
    const { standardError, url, json } = begin(values);
    const { release } = await import('./release.ts');
    outcome.exitCode = await release({ leaseFile: leaseFileOf(values.leaseFile), json, url }, standardError);
  });

  exitCodeOption(sub('inspect', 'show one lock').argument('<lockId>', 'the lock')).action(
    async (lockId: string, values: CommonValues) => {
      const { url, json } = begin(values);
      const { inspect } = await import('./inspect.ts');
      outcome.exitCode = await inspect({ lockId, json, url });
    },
  );

  const listing = sub('list', 'list locks (needs the rights of an administrator)')
    .option('--prefix <text>', 'only locks whose id begins with this')
    .addOption(
      new Option('--state <state>', 'only locks in this state')
        .choices(['held', 'over', 'free', 'all'])
        .default('held'),
    );
  exitCodeOption(listing).action(
    async (values: CommonValues & { prefix?: string; state: 'held' | 'over' | 'free' | 'all' }) => {
      const { url, json } = begin(values);
      const { prefix, state } = values;
      const { list } = await import('./list.ts');
      outcome.exitCode = await list({ json, url, state, ...(prefix !== undefined && { prefix }) });
    },
  );

  const breaking = sub('break', 'take a lock from its holder (needs the rights of an administrator)')
    .argument('<lockId>', 'the lock')
    .option('--fence <n>', 'fencing token of the hold to break')
    .option('--yes', 'do not ask; needs --fence')
    .option('--note <text>', 'why, for the log of the service');
  exitCodeOption(breaking, 'conflict').action(
    async (lockId: string, values: CommonValues & { fence?: string; yes?: boolean; note?: string }) => {
      const { standardError, exitCodes, url, json } = begin(values);
      const { yes = false, note } = values;
      const { breakLock } = await import('./break.ts');
      const fence = fenceOf(values.fence);
      outcome.exitCode = await breakLock({ lockId, fence, yes, note, json, url, exitCodes }, standardError);
    },
  );

  // Only for the list of commands: it reads its own options.
  program.command('local').description('run the lock service on this machine; --help shows its options');
  return program;
}
