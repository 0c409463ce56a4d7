import { hasHeir, mayPassOn } from './passing-on.ts';
import type { Process } from './process.ts';
import type { Fault, Mode, Scenario } from './scenario.ts';
import { T0 } from './ticks.ts';
import { believes, type Client, isDue, isReady, type World } from './world.ts';

/** Whose operation: a client's own (its index), or one of the strays. */
export type Whose = { readonly client: number } | { readonly stray: number };

/** What the store's call comes to. */
export type Delivery = 'answered' | 'reply lost' | 'sent again' | 'held up' | 'duplicate' | 'stale';

/**
 * How an heir goes on that was not given a lease.
 *
 * - `asking`: acquires with its token, which joins the line where the hand-over went to a waiter
 * - `confirming`: the reply was lost, and a renewal tells whether it holds; else it starts anew
 * - `releasing`: the reply was lost and the heir gave up, so that its token is released
 * - `starting anew`: with a fresh token
 */
export type Inheriting = 'asking' | 'confirming' | 'releasing' | 'starting anew';

/** One thing that can happen next. */
export type Action =
  | { readonly kind: 'ask'; readonly client: number; readonly mode: Mode; readonly aheadMs: number }
  /** Goes on by itself: comes back, repeats, confirms or releases. */
  | { readonly kind: 'go on'; readonly client: number; readonly aheadMs: number }
  | { readonly kind: 'renew'; readonly client: number; readonly aheadMs: number }
  | { readonly kind: 'release'; readonly client: number; readonly aheadMs: number }
  /** Releases with an heir. */
  | { readonly kind: 'transfer'; readonly client: number; readonly aheadMs: number }
  | { readonly kind: 'inherit'; readonly client: number; readonly by: Inheriting; readonly aheadMs: number }
  | { readonly kind: 'store'; readonly whose: Whose; readonly delivery: Delivery; readonly version: number }
  | { readonly kind: 'wake'; readonly whose: Whose }
  | { readonly kind: 'late write'; readonly index: number }
  | { readonly kind: 'crash' | 'time-out'; readonly client: number }
  | { readonly kind: 'abort'; readonly client: number; readonly aheadMs: number }
  | { readonly kind: 'break'; readonly aheadMs: number }
  | { readonly kind: 'delete' }
  | { readonly kind: 'tick' };

/** All that can happen next, always in the same order. */
export function actionsOf(scenario: Scenario, world: World): Action[] {
  const actions: Action[] = [];
  const may = (fault: Fault) => world.faultsLeft > 0 && scenario.faults.includes(fault);
  for (const [index, client] of world.clients.entries()) {
    const hosts = hostsOf(scenario, index);
    for (const aheadMs of hosts) actions.push(...ownActions(scenario, client, index, aheadMs));
    if (client.process)
      actions.push(...processActions(client.process, { client: index }, world, may, scenario.weakReads));
    if (client.phase === 'done' || client.phase === 'crashed') continue;
    if (client.phase !== 'idle' && may('crash')) actions.push({ kind: 'crash', client: index });
    if (client.process && client.mode !== 'embedded' && may('time-out')) {
      actions.push({ kind: 'time-out', client: index });
    }
    if (mayAbort(client) && may('abort')) {
      for (const aheadMs of hosts) actions.push({ kind: 'abort', client: index, aheadMs });
    }
  }
  for (const [index, stray] of world.strays.entries()) {
    actions.push(...processActions(stray, { stray: index }, world, () => false));
  }
  for (const index of world.late.keys()) actions.push({ kind: 'late write', index });
  if (may('break') && world.item?.owner !== undefined) {
    actions.push({ kind: 'break', aheadMs: scenario.clocksMs[0] ?? 0 });
  }
  if (mayDelete(scenario, world)) actions.push({ kind: 'delete' });
  if (world.slowLeft > 0 || !world.clients.some(isDue)) actions.push({ kind: 'tick' });
  return actions;
}

export function hostsOf({ clocksMs, roaming }: Scenario, client: number): readonly number[] {
  return roaming ? [...new Set(clocksMs)] : [clocksMs[client] ?? 0];
}

function ownActions(scenario: Scenario, client: Client, index: number, aheadMs: number): Action[] {
  switch (client.phase) {
    case 'idle':
      return scenario.modes.map((mode) => ({ kind: 'ask', client: index, mode, aheadMs }));
    case 'holding': {
      const renew: Action[] =
        client.renewalsLeft > 0 && believes(client) ? [{ kind: 'renew', client: index, aheadMs }] : [];
      const passes: Action[] =
        scenario.passesOn && mayPassOn(client) ? [{ kind: 'transfer', client: index, aheadMs }] : [];
      return [...renew, { kind: 'release', client: index, aheadMs }, ...passes];
    }
    case 'away':
    case 'unanswered':
    case 'granted':
      return isDue(client) ? [{ kind: 'go on', client: index, aheadMs }] : [];
    case 'unreleased':
    case 'inheriting': {
      const again: Action[] = client.phase === 'unreleased' ? [{ kind: 'go on', client: index, aheadMs }] : [];
      return [
        ...again,
        ...waysToInherit(client).map((by): Action => ({ kind: 'inherit', client: index, by, aheadMs })),
      ];
    }
    default:
      return [];
  }
}

function waysToInherit(client: Client): Inheriting[] {
  if (client.phase === 'inheriting') return ['asking', 'starting anew'];
  if (client.heir === '') return [];
  return client.heirGone ? ['releasing'] : ['asking', 'confirming'];
}

function mayAbort(client: Client): boolean {
  const { phase, process } = client;
  if (phase === 'releasing' || phase === 'unreleased') return hasHeir(client);
  return ['asking', 'away', 'unanswered', 'granted', 'confirming'].includes(phase) && !process?.aborted;
}

function processActions(
  process: Process,
  whose: Whose,
  world: World,
  may: (fault: Fault) => boolean,
  weak = false,
): Action[] {
  const { pending } = process;
  if (pending.kind === 'sleep') return isReady(process) ? [{ kind: 'wake', whose }] : [];
  if (pending.kind !== 'call') return [];
  const { operation, argument } = pending.call;
  const actions: Action[] = [{ kind: 'store', whose, delivery: 'answered', version: 0 }];
  if (operation === 'read') {
    if ((weak || !argument.consistent) && may('stale')) {
      for (const version of world.past.keys()) actions.push({ kind: 'store', whose, delivery: 'stale', version });
    }
    return actions;
  }
  for (const delivery of ['reply lost', 'sent again', 'held up', 'duplicate'] as const) {
    if (may(delivery)) actions.push({ kind: 'store', whose, delivery, version: 0 });
  }
  return actions;
}

// Deletion comes a retention after the lease, later than anything that is under way.
function mayDelete({ deletion }: Scenario, { item, clients, strays, late }: World): boolean {
  if (!deletion || item === undefined || strays.length > 0 || late.length > 0) return false;
  return (
    item.ttl * 1_000 <= T0 && clients.every(({ phase }) => phase === 'idle' || phase === 'done' || phase === 'crashed')
  );
}
