import { Holders } from './holders.ts';
import type { CrowdReports, CrowdTask } from './tasks.ts';
import { Waiters } from './waiters.ts';

// A process with holders and waiters in it, which does what its parent asks and reports.

const holders = new Map<string, Holders>();
const waiters = new Map<string, Waiters>();

async function obey(task: CrowdTask): Promise<CrowdReports[CrowdTask['kind']]> {
  switch (task.kind) {
    case 'hold': {
      const group = new Holders(task.url);
      holders.set(task.group, group);
      await group.hold(task.lockIds, task.leaseMs);
      return group.report();
    }
    case 'wait': {
      const group = new Waiters(task.url);
      waiters.set(task.group, group);
      await group.wait(task.lockIds, task.waiters, task.startsPerSecond, task.holdMs);
      return group.report();
    }
    case 'look at holders':
      return known(holders, task.group).report();
    case 'release':
      return known(holders, task.group).release();
    case 'look at waiters':
      return known(waiters, task.group).report();
  }
}

function known<T>(groups: ReadonlyMap<string, T>, group: string): T {
  const found = groups.get(group);
  if (!found) throw new Error(`there is no group ${group}`);
  return found;
}

process.on('message', ({ number, task }: { number: number; task: CrowdTask }) => {
  obey(task).then(
    (report) => process.send?.({ number, report }),
    (error: unknown) => process.send?.({ number, error: error instanceof Error ? error.stack : String(error) }),
  );
});
// Its parent has ended.
process.once('disconnect', () => process.exit());
