import { capacityTables } from './capacity-table.ts';

// What a deployment can serve, and what limits it: `npm run capacity`. The tables stand in infra/capacity.md, where a test
// compares.

process.stdout.write(`${Object.values(capacityTables()).join('\n\n')}\n`);
