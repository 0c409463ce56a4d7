import { capacityTables } from './capacity-table.ts';
import { runBenchCommand } from './run-bench-command.ts';
import { readArguments } from './usage-error.ts';

// What a deployment can serve, and what limits it: `npm run capacity`. The tables stand in infra/capacity.md, where a test
// compares.

runBenchCommand('Usage: npm run capacity\n', async (argv) => {
  readArguments({ args: [...argv] });
  process.stdout.write(`${Object.values(capacityTables()).join('\n\n')}\n`);
});
