import { costTables } from './cost-table.ts';

// What a deployment costs by list prices: `npm run costs`. The tables stand in infra/README.md, where a test compares.

process.stdout.write(`${costTables()}\n`);
