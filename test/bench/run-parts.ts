import { parseArgs } from 'node:util';
import { type Figure, markdownTable } from './figures.ts';
import { watchMachine } from './machine-facts.ts';
import type { Part } from './part.ts';
import { killAll } from './processes.ts';

/**
 * Runs the parts of a benchmark that the command line names, all of them when it names none, prints a Markdown table and
 * ends the process. A missed target is shown, and is no error.
 *
 * @param parts by name; `heap` on the command line chooses `heap:http` too
 * @param place what the figures depend on besides the machine
 */
export function runParts(
  parts: Readonly<Record<string, Part>>,
  place = `database: ${process.env['HOLDFAST_TEST_DYNAMODB'] ?? 'dynalite, embedded'}`,
): void {
  process.once('SIGINT', () => {
    killAll();
    process.exit(130);
  });
  run(parts, place).then(
    () => {
      killAll();
      process.exit(0);
    },
    (error: unknown) => {
      killAll();
      process.stderr.write(`\nthe benchmark failed: ${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
}

async function run(parts: Readonly<Record<string, Part>>, place: string): Promise<void> {
  // The AWS SDK's warning about this Node would stand between the figures.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const { values, positionals } = parseArgs({
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
  if (unknown.length > 0) throw new Error(`a part must be one of ${names.join(', ')}, got ${unknown.join(', ')}`);
  return Object.entries(parts).filter(([name]) => wanted.length === 0 || wanted.some((want) => means(want, name)));
}
