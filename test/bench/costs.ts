import { costTables } from './cost-table.ts';
import { runBenchCommand } from './run-bench-command.ts';
import { readArguments } from './usage-error.ts';

// What a deployment costs by list prices: `npm run costs`. The tables stand in infra/README.md, where a test compares.

runBenchCommand('Usage: npm run costs\n', async (argv) => {
  readArguments({ args: [...argv] });
  process.stdout.write(`${costTables()}\n`);
});
