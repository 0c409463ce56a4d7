import { exit } from './exit.ts';
import { heap } from './heap.ts';
import { leases } from './leases.ts';
import { runParts } from './run-parts.ts';

// What holding locks costs the process that does, over each backend.

runParts({
  'heap:http': heap('http'),
  'exit:http': exit('http'),
  'leases:http': leases('http'),
});
