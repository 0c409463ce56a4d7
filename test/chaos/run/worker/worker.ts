import { setTimeout as pause } from 'node:timers/promises';
import { connectEmbedded } from '../../../../sdk/embedded.ts';
import { LockFactory } from '../../../../sdk/index.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { eventWriter } from './context.ts';
import { Flow } from './flow.ts';
import type { Presence, WorkerCommand, WorkerReport, WorkerTask } from './messages.ts';
import { Recorder } from './recorder.ts';
import { Resource } from './resource.ts';
import { watchStalls } from './stalls.ts';

// A program that uses the SDK as users do, writes down what it sees, and does what a chaos run does to programs.

const task = JSON.parse(process.argv[2] ?? '') as WorkerTask;
const random = seededRandom(task.seed);
const recorder = new Recorder(task.name, task.historyFile);
const resource = new Resource(task.resource);
const stalls = watchStalls(recorder);
let wanted: Presence | undefined;
let { isSeason } = task;

const say = (report: WorkerReport) => process.send?.(report);

function isPresent(presence: Presence): void {
  if (presence !== wanted) return;
  wanted = undefined;
  say({ kind: 'present', presence });
}

function connect(): LockFactory {
  const { connection, name, leaseMs } = task;
  const options = { holder: name, leaseMs, unreachableAfterMs: 8_000, onEvent: eventWriter(recorder, isPresent) };
  if (connection.kind === 'http') return LockFactory.connect({ url: connection.url, ...options });
  const { endpoint, table } = connection;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return connectEmbedded({ endpoint, table, region: 'local', credentials, ...options });
}

const locks = connect();
const flows = Array.from({ length: task.flows }, (_, number) => {
  const seed = Math.floor(2 ** 32 * random());
  const name = `f${number}`;
  const parts = { name, task, locks, resource, recorder, random: seededRandom(seed), isPresent };
  const wantsSeasonal = () => isSeason;
  return new Flow({ ...parts, wantsSeasonal });
});

async function dispose(): Promise<void> {
  await locks.dispose();
  stalls.stop();
  resource.close();
  // The connection of a request that has just ended goes idle in its own time.
  let left = leftovers();
  for (let looks = 0; looks < 100 && left.timers + left.busySockets > 0; looks++) {
    await pause(50);
    left = leftovers();
  }
  recorder.tell({ type: 'leftovers', ...left });
  recorder.close();
  // Whatever else keeps this process alive is a fault of the SDK.
  process.send?.({ kind: 'disposed' } satisfies WorkerReport, () => process.channel?.unref());
}

/** What keeps this process alive. */
function leftovers() {
  const active = process.getActiveResourcesInfo();
  const count = (...kinds: string[]) => active.filter((kind) => kinds.includes(kind)).length;
  return { timers: count('Timeout', 'Immediate'), busySockets: count('TCPSocketWrap', 'TLSWrap', 'TCPConnectWrap') };
}

// Its parent has ended.
process.once('disconnect', () => process.exit());
process.on('message', (command: WorkerCommand) => {
  switch (command.kind) {
    case 'tell-when':
      wanted = command.presence;
      break;
    case 'block':
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, command.ms);
      break;
    case 'season':
      isSeason = command.isSeason;
      break;
    case 'finish':
      for (const flow of flows) flow.finish();
      break;
    case 'dispose':
      void dispose();
  }
});

const clockOffsetMs = Number(process.env['CHAOS_CLOCK_OFFSET_MS'] ?? 0);
const role = task.connection.kind === 'http' ? 'worker' : 'embedded';
recorder.tell({ type: 'process', role, pid: process.pid, clockOffsetMs });
say({ kind: 'ready' });
void Promise.all(flows.map((flow) => flow.run())).then(() => say({ kind: 'finished' }));
