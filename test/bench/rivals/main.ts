import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { killAll } from '../processes.ts';
import { type Options, parseOptions, usage } from './options.ts';
import { markdownOf, writeReport } from './report.ts';
import { run } from './run.ts';
import { workloads } from './workloads.ts';

// `npm run bench`: measures Holdfast beside its floor and its rivals. A missed target is shown, and is no error.

async function main(): Promise<void> {
  // Between the figures the AWS SDK's warning about this Node would be in the way.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const options = parseOptions(process.argv.slice(2), Object.keys(workloads));
  if (options === 'help') {
    process.stdout.write(usage);
    return;
  }
  // One database after the other, each in a process of its own: what one leaves in memory is no burden to the other.
  if (options.database === 'both') {
    await runOver('dynalite', options);
    await runOver('dynamodb-local', options);
    return;
  }
  if (options.database === 'dynamodb-local' && process.env['HOLDFAST_TEST_DYNAMODB'] === undefined) {
    await runOver('dynamodb-local', options);
    return;
  }
  const report = await run(options);
  process.stdout.write(markdownOf(report));
  if (options.out !== undefined) await writeReport(report, options.out);
}

async function runOver(database: 'dynalite' | 'dynamodb-local', options: Options): Promise<void> {
  const both = options.database === 'both';
  const itself = [
    process.execPath,
    ...process.execArgv,
    __filename,
    ...(options.size === 'full' ? [] : [`--${options.size}`]),
    ...['--database', database, '--repetitions', String(options.repetitions), '--seed', String(options.seed)],
    ...(options.out === undefined ? [] : ['--out', both ? join(options.out, database) : options.out]),
    ...options.workloads,
  ];
  const local = [process.execPath, ...process.execArgv, join(__dirname, '../../support/dynamodb-local.ts'), '--'];
  const [command = '', ...args] = database === 'dynamodb-local' ? [...local, ...itself] : itself;
  const child = spawn(command, args, { stdio: 'inherit' });
  const [code, signal] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the run over ${database} ended with ${signal ?? `code ${code}`}`);
}

process.once('SIGINT', () => {
  killAll();
  process.exit(130);
});
main().then(
  () => process.exit(0),
  (error: unknown) => {
    killAll();
    process.stderr.write(`\nthe benchmark failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
