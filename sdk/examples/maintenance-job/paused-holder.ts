// Why a lock alone is not enough: a holder is frozen between its last check and its write, for longer than its lease. Its
// successor works, the holder thaws and writes, and the table refuses it by its fencing token.
//
//   (the service and the environment as in maintenance-job.ts; then, in a shell with job control)
//   node --import tsx sdk/examples/maintenance-job/paused-holder.ts jobs freeze    # the shell says "Stopped"
//   node --import tsx sdk/examples/maintenance-job/paused-holder.ts jobs           # goes on after the lease of 2 s
//   fg                                                                             # and the first is refused

import { LockFactory } from '../../index.ts';
import { Progress } from './progress.ts';

async function main([table = 'jobs', freeze]: string[]): Promise<void> {
  const progress = new Progress(table, 'paused-holder');
  await progress.createTable();
  const locks = LockFactory.fromEnv({ leaseMs: 2_000 });
  await locks.withLock('paused-holder', async ({ fencingToken, assertHeld }) => {
    const part = (await progress.begin(fencingToken)) + 1;
    assertHeld();
    // Here a virtual machine is moved, a container is paused, a laptop is closed. No program can check for it.
    if (freeze) {
      console.log(`holding with fencing token ${fencingToken}, and frozen`);
      process.kill(process.pid, 'SIGSTOP');
    }
    await progress.done(part, fencingToken);
    console.log(`part ${part} done with fencing token ${fencingToken}`);
  });
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`gave up: ${error}`);
  process.exitCode = 1;
});
