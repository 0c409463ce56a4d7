import { setTimeout as pause } from 'node:timers/promises';
import { hostMs } from '../../../support/host-clock.ts';
import type { Held, LockClient } from '../lock-system.ts';
import { systems } from '../systems.ts';
import type { ContenderCommand, ContenderPlace, ContenderReport } from './contender-messages.ts';
import type { Ask, Hold } from './hold.ts';
import { Turns } from './turns.ts';

// Contenders for one lock, in a process of their own. Its argument is the JSON of a ContenderPlace.

const { system, ground, tuning, contenders, shared }: ContenderPlace = JSON.parse(process.argv[2] ?? '');
const clients = new Map<number, LockClient>();
const turns = new Turns();
const taken = new Set<Held>();
let givesBack = false;
let failed = 0;
// Whoever failed asks again after so long.
const afterFailureMs = 100;

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

async function eachContender(task: (contender: number, client: LockClient) => Promise<void>): Promise<void> {
  await Promise.all([...clients].map(([contender, client]) => task(contender, client)));
}

async function lockAnyhow(client: LockClient, lockId: string): Promise<Held> {
  for (;;) {
    try {
      return await client.lock(lockId);
    } catch (error) {
      countFailure(error);
      await pause(afterFailureMs);
    }
  }
}

async function contend(command: ContenderCommand & { kind: 'contend' }): Promise<void> {
  const { lockId, holdMs, rests, fromMs, stepMs, untilMs } = command;
  const holds: Hold[] = [];
  const waiting = new Set<Ask>();
  const holding = new Set<Promise<void>>();
  const competing = eachContender(async (contender, client) => {
    await pause(Math.max(0, fromMs + contender * stepMs - hostMs()));
    while (hostMs() < untilMs) {
      const ask = { contender, askedMs: hostMs() };
      waiting.add(ask);
      const held = await lockAnyhow(client, lockId);
      const grantedMs = hostMs();
      // Too late to count.
      if (grantedMs >= untilMs) return held.release().catch(countFailure);
      waiting.delete(ask);
      turns.taken(contender);
      if (rests) say({ kind: 'granted' });
      const hold = (async () => {
        await pause(holdMs);
        const releaseAskedMs = hostMs();
        await held.release().catch(countFailure);
        holds.push({ ...ask, grantedMs, releaseAskedMs, releasedMs: hostMs() });
      })();
      holding.add(hold);
      await hold;
      holding.delete(hold);
      if (rests) await turns.rest(contender);
    }
  });
  const timed = async () => {
    await pause(Math.max(0, untilMs - hostMs()));
    await Promise.all(holding);
    turns.end();
    say({ kind: 'done', holds, waiting: [...waiting], failed });
  };
  await Promise.all([competing, timed()]);
  say({ kind: 'idle' });
}

async function take({ lockId }: ContenderCommand & { kind: 'take' }): Promise<void> {
  await eachContender(async (contender, client) => {
    const askedMs = hostMs();
    const held = await lockAnyhow(client, lockId);
    const grantedMs = hostMs();
    say({ kind: 'taken', contender, askedMs, grantedMs });
    taken.add(held);
    if (givesBack) await giveBack();
  });
  if (givesBack) say({ kind: 'idle' });
}

async function giveBack(): Promise<void> {
  givesBack = true;
  const held = [...taken];
  taken.clear();
  await Promise.all(held.map((each) => each.release()));
}

async function obey(command: ContenderCommand): Promise<void> {
  switch (command.kind) {
    case 'contend':
      return contend(command);
    case 'elsewhere':
      return turns.taken();
    case 'take':
      return take(command);
    case 'give back':
      return giveBack();
  }
}

// A database that is asked for more than it can do answers some too late. What comes of that belongs to what is measured.
function countFailure(error: unknown): void {
  failed++;
  if (failed === 1) say({ kind: 'failure', error: String(error) });
}

function fail(error: unknown): void {
  process.stderr.write(`contenders in process ${process.pid}: ${error instanceof Error ? error.stack : error}\n`);
  process.exit(1);
}

process.on('message', (command: ContenderCommand) => {
  obey(command).catch(fail);
});
// Also from timers of a system's own, where nobody waits for what comes of them.
process.on('uncaughtException', countFailure);
// Its parent has ended.
process.once('disconnect', () => process.exit());
connect().catch(fail);
