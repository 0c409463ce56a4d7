import { readFile } from 'node:fs/promises';
import { runCommand, UsageError } from '../support/command.ts';
import { checkHistory } from './checkers.ts';
import { indexedHistory } from './indexed-history.ts';
import { readHistory } from './read-history.ts';
import { report } from './report.ts';

const usage = `Usage: npx tsx test/chaos/check.ts FILE…

Holds a history that was kept against every rule. The files are those of one run.

Exit code: 0 no finding, 1 findings, 2 it could not be read.
`;

async function main(files: readonly string[]): Promise<number> {
  const option = files.find((file) => file.startsWith('-'));
  if (option !== undefined) throw new UsageError(`there is no option ${option}`);
  if (files.length === 0) throw new UsageError('name the files of one run’s history, got none');
  const texts = await Promise.all(files.map(read));
  const history = historyIn(texts.join('\n'));
  const verdict = checkHistory(history);
  process.stdout.write(`${report(history, verdict)}\n`);
  return verdict.findings.length > 0 ? 1 : 0;
}

function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`the history cannot be read: ${error.message}`);
  });
}

function historyIn(text: string) {
  try {
    return indexedHistory(readHistory(text));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

runCommand({ what: 'check', usage, main });
