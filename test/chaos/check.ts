import { readFileSync } from 'node:fs';
import { checkHistory } from './checkers.ts';
import { indexedHistory } from './indexed-history.ts';
import { readHistory } from './read-history.ts';
import { report } from './report.ts';

// Holds a history that was kept against every rule: `npx tsx test/chaos/check.ts FILE…`, the files being those of one run.
const files = process.argv.slice(2);
if (files.length === 0) throw new Error('name the files of one run’s history: npx tsx test/chaos/check.ts FILE…');
const history = indexedHistory(readHistory(files.map((file) => readFileSync(file, 'utf8')).join('\n')));
const verdict = checkHistory(history);
process.stdout.write(`${report(history, verdict)}\n`);
process.exitCode = verdict.findings.length > 0 ? 1 : 0;
