import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CounterFile } from './counter-file.ts';
import { parseOptions, usage } from './options.ts';
import { killAll, startLocalStack, Worker } from './processes.ts';
import { Progress } from './progress.ts';

// The main job, on real input: worker processes that add to one file, with the lock and without, and a holder that is
// killed. Ends by itself, with exit code 1 when a figure is wrong. Over a service that it starts, or the one at `--url`.

const workers = 4;
const incrementsEach = 75;
const total = workers * incrementsEach;
const pauseMs = 5;
const leaseMs = 3_000;

/** Where the locks are. */
interface Place {
  readonly url: string;
  readonly prefix: string;
}

interface Count {
  readonly counted: number;
  readonly seconds: number;
}

async function countTogether(place: Place, file: string, locked: boolean): Promise<Count> {
  const lockId = 'demo/counter file';
  const counter = new CounterFile(file);
  await counter.write(0);
  const crew = await Promise.all(Array.from({ length: workers }, () => Worker.start()));
  const progress = new Progress(`${workers} processes ${locked ? 'with' : 'without'} the lock`, total);
  const startedMs = performance.now();
  const ended = crew.map((worker) => worker.ended());
  for (const worker of crew) {
    worker.onProgress(() => progress.step());
    worker.send({ kind: 'increments', ...place, lockId, file, count: incrementsEach, pauseMs, locked });
  }
  await Promise.all(ended);
  const counted = await counter.read();
  const seconds = (performance.now() - startedMs) / 1_000;
  progress.end(`${counted} of ${total} increments are in the file, after ${seconds.toFixed(1)} s`);
  return { counted, seconds };
}

interface TakeOver {
  readonly killedFence: number;
  readonly nextFence: number;
  /** From the kill to the take-over, seconds. */
  readonly seconds: number;
  /** From the killed holder's asking for the lock to the take-over, milliseconds. */
  readonly afterAskingMs: number;
}

async function killHolder(place: Place): Promise<TakeOver> {
  const task = { kind: 'hold', ...place, lockId: 'demo/killed holder', leaseMs } as const;
  const [holder, next] = await Promise.all([Worker.start(), Worker.start()]);
  holder.send(task);
  const held = await holder.message('holding');
  next.send(task);
  process.stdout.write(`process ${holder.pid} holds with fencing token ${held.fencingToken}; kill -9 …`);
  await holder.kill();
  const killedMs = Date.now();
  const taken = await next.message('holding');
  const seconds = (taken.heldAtMs - killedMs) / 1_000;
  process.stdout.write(` process ${next.pid} took over ${seconds.toFixed(1)} s later with ${taken.fencingToken}\n`);
  const ended = next.ended();
  next.send('end');
  await ended;
  return {
    killedFence: held.fencingToken,
    nextFence: taken.fencingToken,
    seconds,
    // The lease cannot have begun before it was asked for, so this is its whole length at least.
    afterAskingMs: taken.heldAtMs - held.askedAtMs,
  };
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return rows.map(line).join('\n');
}

async function demo(): Promise<boolean> {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(usage);
    return true;
  }
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-demo-'));
  try {
    const url = options.url ?? (await startLocalStack());
    process.stdout.write(`${options.url === undefined ? 'local stack' : 'lock service'} at ${url}\n`);
    const place = { url, prefix: options.prefix };
    const file = join(folder, 'counter.json');
    const withLock = await countTogether(place, file, true);
    const without = await countTogether(place, file, false);
    const takeOver = await killHolder(place);

    const checks = [
      { figure: `with the lock, ${total} of ${total}`, holds: withLock.counted === total },
      { figure: 'without the lock, some are lost', holds: without.counted < total },
      { figure: 'the take-over waits for the lease to end', holds: takeOver.afterAskingMs >= leaseMs },
      { figure: 'the fencing token of the next holder is higher', holds: takeOver.nextFence > takeOver.killedFence },
    ];
    const row = (name: string, { counted, seconds }: Count) => [
      name,
      String(total),
      String(counted),
      String(total - counted),
      `${seconds.toFixed(1)} s`,
    ];
    process.stdout.write(
      `\n${table([
        ['', 'increments', 'in the file', 'lost', 'time'],
        row('with the lock', withLock),
        row('without the lock', without),
      ])}\n\nkilled holder: lease of ${leaseMs / 1_000} s, next holder ${takeOver.seconds.toFixed(1)} s after the kill, ` +
        `fencing token ${takeOver.killedFence} → ${takeOver.nextFence}\n\n`,
    );
    for (const { figure, holds } of checks) process.stdout.write(`${holds ? 'ok   ' : 'WRONG'} ${figure}\n`);
    return checks.every(({ holds }) => holds);
  } finally {
    killAll();
    await rm(folder, { recursive: true, force: true });
  }
}

process.once('SIGINT', () => {
  killAll();
  process.exit(130);
});

demo().then(
  (right) => {
    process.exitCode = right ? 0 : 1;
  },
  (error: unknown) => {
    process.stderr.write(`the demo failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  },
);
