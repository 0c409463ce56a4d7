import type { LockItem } from '../../lambda/service/lock-item.ts';
import {
  forgetsEnded,
  storeAsked,
  storeBlindToLine,
  storeKeepingFence,
  storeWith,
  trustsOwner,
} from './altered-store.ts';
import type { Scenario } from './scenario.ts';
import { twoClients } from './scenarios.ts';
import { type Argument, memoryStore } from './store-call.ts';
import { coarseTiming, tickMs } from './ticks.ts';

/** The rules with one guard missing, and the smallest scenario in which that shows. */
export interface Mutant {
  readonly missing: string;
  readonly scenario: Scenario;
  /** What the explorer has to find. */
  readonly violation: string;
}

const pinnedToNow = (argument: Argument, { rev, fence }: LockItem): Argument => ({ ...argument, rev, fence });

// So that tickets end before long.
const shortTickets = coarseTiming({ ticketMs: 4 * tickMs });

const narrow: Scenario = {
  ...twoClients,
  modes: ['embedded'],
  acquisitions: 1,
  renewals: 0,
  timing: shortTickets,
  clocksMs: [0, 0, 0],
  slowBudget: 0,
};

// Each holder may release with its own next acquisition as the heir.
const passedOn: Scenario = { ...narrow, acquisitions: 2, passesOn: true };

const asks = (client: string): string[] => [`${client} asks (embedded)`, `${client}: claim(`];
const joins = (client: string): string[] => [...asks(client), `${client}: join(`];
const ticks = (count: number): string[] => Array.from({ length: count }, () => 'a tick passes');

export const mutants: readonly Mutant[] = [
  {
    missing: 'claimPast: rev = R.rev and fence = R.fence',
    violation: 'a waiter whose ticket is valid was removed from the line',
    scenario: {
      ...narrow,
      clients: 3,
      clocksMs: [0, 0, tickMs],
      slowBudget: 4,
      prefix: [...asks('A'), ...joins('B'), ...ticks(4)],
      store: storeAsked('claimPast', pinnedToNow),
    },
  },
  {
    missing: 'releasePast: rev = R.rev and fence = R.fence',
    violation: 'a waiter whose ticket is valid was removed from the line',
    scenario: {
      ...narrow,
      leaseMs: 8 * tickMs,
      slowBudget: 5,
      prefix: [...asks('A'), ...joins('B'), ...ticks(4)],
      store: storeAsked('releasePast', pinnedToNow),
    },
  },
  {
    missing: 'handOver: tickets.w ≤ cut for each w before next',
    violation: 'a waiter whose ticket is valid was removed from the line',
    scenario: {
      ...narrow,
      clients: 3,
      leaseMs: 8 * tickMs,
      slowBudget: 5,
      prefix: [...asks('A'), ...joins('B'), ...ticks(1), ...joins('C')],
      store: storeAsked('handOver', (argument) => ({ ...argument, cut: Number.POSITIVE_INFINITY })),
    },
  },
  {
    missing: 'renew: until < newUntil',
    violation: 'two clients believe that they hold the lock',
    scenario: {
      ...narrow,
      promisesOnly: true,
      renewals: 2,
      faults: ['duplicate'],
      faultBudget: 1,
      store: storeWith('renew', (_, item, call) => {
        const { until = 0 } = item ?? {};
        // As if the lease ended before the new one whatever it is.
        const result = memoryStore(call, item && { ...item, until: Math.min(until, 0) });
        return result.written ? result : { written: false, item };
      }),
    },
  },
  {
    missing: 'claim: not SPENT(me)',
    violation: 'a token that has had its lease was granted the lock again',
    scenario: {
      ...narrow,
      faults: ['duplicate'],
      faultBudget: 1,
      store: storeWith('claim', (_, item, call) => {
        const forgotten = item && { ...item };
        delete (forgotten as { last?: string } | undefined)?.last;
        const result = memoryStore(call, forgotten);
        return result.written ? result : { written: false, item };
      }),
    },
  },
  {
    missing: 'claim: no queue[0]',
    violation: 'a live waiter was overtaken',
    scenario: {
      ...narrow,
      modes: ['try', 'embedded'],
      clients: 3,
      store: storeBlindToLine('claim'),
    },
  },
  {
    missing: 'owner = me is never a grant by itself',
    violation: 'two clients believe that they hold the lock',
    scenario: {
      ...narrow,
      promisesOnly: true,
      acquisitions: 2,
      store: trustsOwner,
    },
  },
  {
    missing: 'a strong read before place-lost is believed',
    violation: 'place-lost, with a place in line or the lock itself',
    scenario: { ...narrow, faults: ['stale'], faultBudget: 2, weakReads: true },
  },
  {
    missing: 'every takeover waits out the margin',
    violation: 'two clients believe that they hold the lock',
    scenario: {
      ...narrow,
      promisesOnly: true,
      clocksMs: [0, tickMs],
      believedTiming: { ...shortTickets, clockSkewMs: 0 },
    },
  },
  {
    missing: 'keepTicket: tickets.me < ticketEnd',
    violation: 'a ticket was shortened',
    scenario: {
      ...narrow,
      leaseMs: 8 * tickMs,
      faults: ['duplicate'],
      faultBudget: 1,
      store: storeWith('keepTicket', ({ me = '', ticketEnd = 0 }, item) => {
        if (item?.tickets[me] === undefined) return { written: false, item };
        return { written: true, item: { ...item, tickets: { ...item.tickets, [me]: ticketEnd }, rev: item.rev + 1 } };
      }),
    },
  },
  {
    missing: 'claimAsHead: the tickets of the skipped against c, not cut',
    violation: 'a live waiter was removed from the line',
    scenario: {
      ...narrow,
      clients: 3,
      acquisitions: 2,
      faults: ['crash'],
      faultBudget: 1,
      prefix: [...asks('A'), ...ticks(3), ...joins('B'), 'B: crash', ...joins('C')],
      store: forgetsEnded,
    },
  },
  {
    missing: 'claimPast of whoever stands outside a full line of dead waiters',
    violation: 'somebody still waits',
    scenario: {
      ...narrow,
      clients: 3,
      timing: coarseTiming({ lineLimit: 1 }),
      faults: ['crash'],
      faultBudget: 2,
      prefix: [...asks('A'), 'A: crash', ...joins('B'), 'B: crash'],
      store: storeWith('claimPast', (_, item) => ({ written: false, item })),
    },
  },
  {
    missing: 'handOver: fence + 1',
    violation: 'a grant did not raise the fence',
    scenario: {
      ...narrow,
      promisesOnly: true,
      store: storeKeepingFence('handOver'),
    },
  },
  {
    missing: 'transfer: no queue[0]',
    violation: 'a live waiter was overtaken',
    scenario: {
      ...passedOn,
      promisesOnly: true,
      store: storeBlindToLine('transfer'),
    },
  },
  {
    missing: 'transfer: owner = me',
    violation: 'two clients believe that they hold the lock',
    scenario: {
      ...passedOn,
      promisesOnly: true,
      slowBudget: 2,
      prefix: [...asks('A'), ...ticks(3), 'A sends release with'],
      store: storeAsked('transfer', (argument, { owner = '' }) => ({ ...argument, me: owner })),
    },
  },
  {
    missing: 'transfer: fence + 1',
    violation: 'a grant did not raise the fence',
    scenario: {
      ...passedOn,
      promisesOnly: true,
      store: storeKeepingFence('transfer'),
    },
  },
  {
    missing: 'owner = heir is never a grant by itself',
    violation: 'two clients believe that they hold the lock',
    scenario: {
      ...passedOn,
      promisesOnly: true,
      modes: ['http'],
      faults: ['time-out'],
      faultBudget: 1,
      slowBudget: 2,
      prefix: [
        ...['A asks (http)', 'A: claim(', 'A sends release with', 'A: time-out'],
        'a request for a1 that nobody waits for: transfer(',
        ...ticks(2),
      ],
      store: trustsOwner,
    },
  },
];
