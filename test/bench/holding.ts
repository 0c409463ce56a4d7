import { exit } from './exit.ts';
import { heap } from './heap.ts';
import { leases } from './leases.ts';
import { memoryPerLock } from './memory-per-lock.ts';
import { runParts } from './run-parts.ts';

// What holding locks costs the process that does, over each backend.

runParts('bench:holding', {
  'heap:http': heap('http'),
  'heap:embedded': heap('embedded'),
  'heap:memory': heap('memory'),
  'memory-per-lock:http': memoryPerLock('http'),
  'memory-per-lock:embedded': memoryPerLock('embedded'),
  'memory-per-lock:memory': memoryPerLock('memory'),
  'exit:http': exit('http'),
  'exit:embedded': exit('embedded'),
  'exit:memory': exit('memory'),
  'leases:http': leases('http', 1_000),
  'leases:embedded:1': leases('embedded', 1),
  'leases:embedded:10': leases('embedded', 10),
  'leases:embedded:100': leases('embedded', 100),
  'leases:embedded:1000': leases('embedded', 1_000),
  'leases:embedded:5000': leases('embedded', 5_000),
});
