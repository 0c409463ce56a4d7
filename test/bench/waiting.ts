import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { type Figure, markdownTable } from './figures.ts';
import { handOver } from './hand-over.ts';
import { killedWaiters } from './killed-waiters.ts';
import { manyWaiters } from './many-waiters.ts';
import { memory } from './memory.ts';
import type { Part } from './part.ts';
import { killAll } from './processes.ts';
import { sameProcess } from './same-process.ts';
import { uncontended } from './uncontended.ts';

// What waiting for a lock costs, on the local stack: prints a Markdown table. A missed target is shown, and is no error.

const parts: Readonly<Record<string, Part>> = {
  'hand-over': handOver,
  'same-process': sameProcess,
  'many-waiters': manyWaiters,
  'killed-waiters': killedWaiters,
  memory,
  uncontended,
};

async function main(): Promise<void> {
  // The AWS SDK's warning about this Node would stand between the figures.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const { values, positionals } = parseArgs({
    options: { quick: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const unknown = positionals.filter((name) => !Object.hasOwn(parts, name));
  if (unknown.length > 0) {
    throw new Error(`a part must be one of ${Object.keys(parts).join(', ')}, got ${unknown.join(', ')}`);
  }
  const chosen = Object.entries(parts).filter(([name]) => positionals.length === 0 || positionals.includes(name));
  const loadBefore = loadavg()[0] ?? 0;
  const startedMs = performance.now();
  const figures: Figure[] = [];
  for (const [name, part] of chosen) {
    const partMs = performance.now();
    process.stderr.write(`${name} …`);
    figures.push(...(await part({ quick: values.quick })));
    process.stderr.write(` ${((performance.now() - partMs) / 1_000).toFixed(0)} s\n`);
  }
  const [cpu] = cpus();
  const facts = [
    `Node ${process.version}`,
    `${cpus().length} × ${cpu?.model.trim() ?? 'unknown processor'}`,
    `${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
    `load ${loadBefore.toFixed(1)} before and ${(loadavg()[0] ?? 0).toFixed(1)} after`,
    `${((performance.now() - startedMs) / 1_000).toFixed(0)} s${values.quick ? ', --quick' : ''}`,
    `database: ${process.env['HOLDFAST_TEST_DYNAMODB'] ?? 'dynalite, embedded'}`,
  ];
  process.stdout.write(`${facts.join('; ')}\n\n${markdownTable(figures)}\n`);
}

process.once('SIGINT', () => {
  killAll();
  process.exit(130);
});

main().then(
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
