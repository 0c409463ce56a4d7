import { exit } from './exit.ts';
import { heap } from './heap.ts';
import { leases } from './leases.ts';
import { runParts } from './run-parts.ts';

// What holding locks costs the process that does, over each backend.

runParts({
  'heap:http': heap('http'),
  'heap:embedded': heap('embedded'),
  'heap:memory': heap('memory'),
  'exit:http': exit('http'),
  'exit:embedded': exit('embedded'),
  'exit:memory': exit('memory'),
  'leases:http': leases('http'),
  'leases:embedded': leases('embedded'),
});
