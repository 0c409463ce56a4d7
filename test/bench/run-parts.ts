import { type Figure, markdownTable } from './figures.ts';
import { watchMachine } from './machine-facts.ts';
import type { Part } from './part.ts';
import { runBenchCommand } from './run-bench-command.ts';
import { readArguments, UsageError } from './usage-error.ts';

/**
 * Runs the parts of a benchmark that the command line names, all of them when it names none, prints a Markdown table and
 * ends the process. A missed target is shown, and is no error.
 *
 * @param command its name in package.json
 * @param parts by name; `heap` on the command line chooses `heap:http` too
 * @param place what the figures depend on besides the machine
 */
export function runParts(
  command: string,
  parts: Readonly<Record<string, Part>>,
  place = `database: ${process.env['HOLDFAST_TEST_DYNAMODB'] ?? 'dynalite, embedded'}`,
): void {
  runBenchCommand(usageOf(command, Object.keys(parts)), (argv) => run(argv, parts, place));
}

function usageOf(command: string, names: readonly string[]): string {
  return `Usage: npm run ${command} -- [options] [part…]

  --quick   fewer rounds
  --help    prints this text

Parts, all of them where none is named; what stands before a colon means all that begin with it:

${names.map((name) => `  ${name}\n`).join('')}`;
}

async function run(argv: readonly string[], parts: Readonly<Record<string, Part>>, place: string): Promise<void> {
  const { values, positionals } = readArguments({
    args: [...argv],
    options: { quick: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const chosen = chosenParts(parts, positionals);
  const machine = watchMachine();
  const figures: Figure[] = [];
  for (const [name, part] of chosen) {
    const partMs = performance.now();
    process.stderr.write(`${name} …`);
    figures.push(...(await part({ quick: values.quick })));
    process.stderr.write(` ${((performance.now() - partMs) / 1_000).toFixed(0)} s\n`);
  }
  const facts = [...machine.facts(), ...(values.quick ? ['--quick'] : []), place];
  process.stdout.write(`${facts.join('; ')}\n\n${markdownTable(figures)}\n`);
}

function chosenParts(parts: Readonly<Record<string, Part>>, wanted: readonly string[]): [string, Part][] {
  const names = Object.keys(parts);
  const means = (want: string, name: string) => name === want || name.startsWith(`${want}:`);
  const unknown = wanted.filter((want) => !names.some((name) => means(want, name)));
  if (unknown.length > 0) throw new UsageError(`a part must be one of ${names.join(', ')}, got ${unknown.join(', ')}`);
  return Object.entries(parts).filter(([name]) => wanted.length === 0 || wanted.some((want) => means(want, name)));
}
