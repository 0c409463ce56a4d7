import type { LockItem } from '../../lambda/service/lock-item.ts';
import { shiftItem } from './item-frame.ts';
import type { Processes } from './process.ts';
import type { Scenario } from './scenario.ts';
import { earliestOf, shiftCall } from './store-call.ts';
import { T0, tickMs } from './ticks.ts';
import { type Client, idle, isDue, isWaiting, type World } from './world.ts';
import { withoutStrays } from './world-changes.ts';

/** One tick later: everything else moves into the past. */
export function afterTick(scenario: Scenario, processes: Processes, world: World): World {
  const slow = world.clients.some(isDue);
  const inFlight = [...world.clients.flatMap(({ process }) => process ?? []), ...world.strays].flatMap(({ pending }) =>
    pending.kind === 'call' ? [earliestOf(pending.call)] : [],
  );
  const earliest = Math.min(T0, ...inFlight, ...world.late.map(({ call }) => earliestOf(call)));
  const { clockSkewMs, claimWindowMs } = scenario.timing;
  // Everything compares with later times than this one.
  const floor = earliest - clockSkewMs - scenario.clients * claimWindowMs - 2 * tickMs;
  const older = (item: LockItem | undefined) => item && shiftItem(item, -tickMs, floor);
  const { lateTicks, leaseMs } = scenario;
  const left = withoutStrays(world, ({ pendingFor }) => pendingFor >= lateTicks);
  return {
    ...left,
    item: older(world.item),
    past: world.past.map(older),
    clients: left.clients.map((client) => olderClient(processes, client, leaseMs)),
    strays: left.strays.map((each) => processes.older(each)),
    late: world.late
      .filter(({ age }) => age < lateTicks)
      .map(({ call, age }) => ({ call: shiftCall(call, -tickMs), age: age + 1 })),
    slowLeft: world.slowLeft - (slow ? 1 : 0),
    fenceLagMs: scenario.deletion ? Math.min(10 * tickMs, world.fenceLagMs + tickMs) : 0,
  };
}

function olderClient(processes: Processes, client: Client, leaseMs: number): Client {
  if (client.phase === 'done') return client;
  const deadline = client.deadline > T0 + tickMs ? client.deadline - tickMs : 0;
  const sentAt = client.sentAt === 0 ? 0 : Math.max(T0 - leaseMs, client.sentAt - tickMs);
  const dueAt = client.dueAt === 0 ? 0 : Math.max(T0, client.dueAt - tickMs);
  const late = Math.min(2, client.late + (isWaiting(client) && isDue(client) ? 1 : 0));
  const older = { ...client, deadline, sentAt, dueAt, late };
  if (client.deadline > 0 && deadline === 0) {
    if (client.phase === 'crashed') return { ...idle, acquisitionsLeft: 0, phase: 'crashed' };
    const acquisitionsLeft = client.acquisitionsLeft - 1;
    // Its own clock says that the lease is over.
    if (client.phase === 'holding') {
      return { ...idle, acquisitionsLeft, phase: acquisitionsLeft > 0 ? 'idle' : 'done' };
    }
  }
  const { process } = older;
  return process ? { ...older, process: processes.older(process) } : older;
}
