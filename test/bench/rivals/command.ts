import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Options } from './options.ts';
import { markdownOf, writeReport } from './report.ts';
import { folderFor } from './report-folder.ts';
import { run } from './run.ts';

/**
 * Does what the command line asks for.
 *
 * @param program the file that was started with it
 */
export async function bench(options: Options, program: string): Promise<void> {
  // One database after the other, each in a process of its own: what one leaves in memory is no burden to the other.
  if (options.database === 'both') {
    await runOver('dynalite', options, program);
    await runOver('dynamodb-local', options, program);
    return;
  }
  if (options.database === 'dynamodb-local' && process.env['HOLDFAST_TEST_DYNAMODB'] === undefined) {
    await runOver('dynamodb-local', options, program);
    return;
  }
  const report = await run(options);
  process.stdout.write(markdownOf(report));
  if (options.out !== undefined) await writeReport(report, options.out);
  if (report.failures.length > 0) throw new AggregateError(report.failures, 'not every workload ran to its end');
}

async function runOver(database: 'dynalite' | 'dynamodb-local', options: Options, program: string): Promise<void> {
  const both = options.database === 'both';
  const itself = [
    process.execPath,
    ...process.execArgv,
    program,
    ...(options.size === 'full' ? [] : [`--${options.size}`]),
    ...['--database', database, '--repetitions', String(options.repetitions), '--seed', String(options.seed)],
    ...(options.out === undefined ? [] : ['--out', both ? folderFor(database, options.out) : options.out]),
    ...options.workloads,
  ];
  const local = [process.execPath, ...process.execArgv, join(__dirname, '../../support/dynamodb-local.ts'), '--'];
  const [command = '', ...args] = database === 'dynamodb-local' ? [...local, ...itself] : itself;
  const { HOLDFAST_TEST_DYNAMODB: _given, ...env } = process.env;
  const child = spawn(command, args, { stdio: 'inherit', env });
  const [code, signal] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the run over ${database} ended with ${signal ?? `code ${code}`}`);
}
