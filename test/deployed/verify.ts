import { parseOptions, UsageError, usage } from './options.ts';
import { type Entry, type Report, verify } from './run.ts';

// The command: `npm run verify:deployed`.

const width = 8;

function line({ result, what, expected, ...finding }: Entry): string {
  const end = 'reason' in finding ? finding.reason : finding.got;
  return `${result.padEnd(width)}${what} | expected: ${expected} | ${result === 'skipped' ? 'because' : 'got'}: ${end}\n`;
}

function summary({ entries, requests, seconds, left }: Report) {
  const count = (result: Entry['result']) => entries.filter((entry) => entry.result === result).length;
  return {
    ok: count('ok'),
    failed: count('FAILED'),
    skipped: count('skipped'),
    requests,
    seconds: Math.round(seconds * 10) / 10,
    left,
  };
}

function summaryText(report: Report): string {
  const { ok, failed, skipped, requests, seconds, left } = summary(report);
  const remains =
    left.length === 0
      ? 'all locks given back'
      : `not given back, over within a minute: ${left.map((id) => JSON.stringify(id)).join(', ')}`;
  return `\n${ok} ok, ${failed} failed, ${skipped} skipped; ${requests} requests in ${seconds} s; ${remains}\n`;
}

async function main(argv: readonly string[]): Promise<number> {
  const stopping = new AbortController();
  // Whatever was taken is given back first.
  process.once('SIGINT', () => stopping.abort());
  process.once('SIGTERM', () => stopping.abort());
  try {
    const options = parseOptions(argv, process.env);
    if (options === 'help') {
      process.stdout.write(usage);
      return 0;
    }
    const print = options.json ? () => {} : (entry: Entry) => process.stdout.write(line(entry));
    const report = await verify(options, print, stopping.signal);
    const { url, entries } = report;
    const document = { url, checks: entries, summary: summary(report) };
    process.stdout.write(options.json ? `${JSON.stringify(document, null, 2)}\n` : summaryText(report));
    if (stopping.signal.aborted) return 130;
    return summary(report).failed > 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`verify:deployed: ${error.message}\n`);
    return 2;
  }
}

void main(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
