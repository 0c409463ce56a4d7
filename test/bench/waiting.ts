import { handOver } from './hand-over.ts';
import { killedWaiters } from './killed-waiters.ts';
import { manyWaiters } from './many-waiters.ts';
import { memory } from './memory.ts';
import { runParts } from './run-parts.ts';
import { sameProcess } from './same-process.ts';
import { uncontended } from './uncontended.ts';

// What waiting for a lock costs, on the local stack.

runParts('bench:waiting', {
  'hand-over': handOver,
  'same-process': sameProcess,
  'many-waiters': manyWaiters,
  'killed-waiters': killedWaiters,
  memory,
  uncontended,
});
