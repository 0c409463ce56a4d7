import { setTimeout as pause } from 'node:timers/promises';
import { hostMs } from '../../../support/host-clock.ts';
import type { LockClient } from '../lock-system.ts';
import { systems } from '../systems.ts';
import type { ContenderCommand, ContenderPlace, ContenderReport } from './contender-messages.ts';
import type { Ask, Hold } from './hold.ts';

// Contenders for one lock, in a process of their own. Its argument is the JSON of a ContenderPlace.

const { system, ground, tuning, contenders, shared }: ContenderPlace = JSON.parse(process.argv[2] ?? '');
const clients = new Map<number, LockClient>();

const say = (report: ContenderReport): void => {
  process.send?.(report);
};

async function connect(): Promise<void> {
  const named = systems.find(({ name }) => name === system);
  if (!named) throw new Error(`a system must be one of ${systems.map(({ name }) => name).join('; ')}, got ${system}`);
  const one = shared ? await named.connect(ground, tuning) : undefined;
  for (const contender of contenders) {
    const client = one ?? (await named.connect(ground, tuning));
    clients.set(contender, client);
    // Opens its connections and runs its code once.
    await (await client.lock(`bench/warm up ${process.pid} ${contender}`)).release();
  }
  say({ kind: 'ready' });
}

function clientOf(contender: number): LockClient {
  const client = clients.get(contender);
  if (!client) throw new Error(`contender ${contender} must be one of this process's, ${contenders.join(', ')}`);
  return client;
}

async function contend({ lockId, holdMs, fromMs, stepMs, untilMs }: ContenderCommand & { kind: 'contend' }) {
  const holds: Hold[] = [];
  const waiting = new Set<Ask>();
  const holding = new Set<Promise<void>>();
  const compete = async (contender: number) => {
    const client = clientOf(contender);
    await pause(Math.max(0, fromMs + contender * stepMs - hostMs()));
    while (hostMs() < untilMs) {
      const ask = { contender, askedMs: hostMs() };
      waiting.add(ask);
      const held = await client.lock(lockId);
      const grantedMs = hostMs();
      // Too late to count. It is kept, so that the others do not go on.
      if (grantedMs >= untilMs) return;
      waiting.delete(ask);
      const hold = (async () => {
        await pause(holdMs);
        const releaseAskedMs = hostMs();
        await held.release();
        holds.push({ ...ask, grantedMs, releaseAskedMs, releasedMs: hostMs() });
      })();
      holding.add(hold);
      await hold;
      holding.delete(hold);
    }
  };
  for (const contender of contenders) compete(contender).catch(fail);
  await pause(Math.max(0, untilMs - hostMs()));
  await Promise.all(holding);
  say({ kind: 'done', holds, waiting: [...waiting] });
}

async function take({ lockId }: ContenderCommand & { kind: 'take' }): Promise<void> {
  const one = async (contender: number) => {
    const askedMs = hostMs();
    await clientOf(contender).lock(lockId);
    say({ kind: 'taken', contender, askedMs, grantedMs: hostMs() });
  };
  await Promise.all(contenders.map(one));
}

function fail(error: unknown): void {
  process.stderr.write(`contenders in process ${process.pid}: ${error instanceof Error ? error.stack : error}\n`);
  process.exit(1);
}

process.on('message', (command: ContenderCommand) => {
  (command.kind === 'contend' ? contend(command) : take(command)).catch(fail);
});
// Its parent has ended.
process.once('disconnect', () => process.exit());
connect().catch(fail);
