import { accountSlots, adviceForLoad, adviceForWaits, listed } from './capacity-advice.ts';
import { type Demand, demandOf, demandOfFirst, demandOfFullLines, type Load, tableLimits } from './capacity-model.ts';
import { type Cost, costOf, fullLineUnits, operations } from './cost-model.ts';
import { quotas } from './quotas.ts';

const monthSeconds = 730 * 3_600;
const secondMs = 1_000;

/** Rising sizes; at the greatest number of locks also with leases that are renewed less often. */
export const loads: readonly Load[] = [
  { heldLocks: 1_000, leaseMs: 30_000, grantsPerSecond: 10 },
  { heldLocks: 10_000, leaseMs: 30_000, grantsPerSecond: 100 },
  { heldLocks: 100_000, leaseMs: 30_000, grantsPerSecond: 1_000 },
  { heldLocks: 1_000_000, leaseMs: 30_000, grantsPerSecond: 10_000 },
  { heldLocks: 1_000_000, leaseMs: 300_000, grantsPerSecond: 10_000 },
  { heldLocks: 1_000_000, leaseMs: 3_600_000, grantsPerSecond: 10_000 },
];

/** Hand-overs as they were measured, milliseconds: the run that `test/bench/README.md` shows. */
export const measuredMs = { betweenProcesses: 38.5, inProcessHttp: 3.3, inProcessEmbedded: 1.85 } as const;

const counts = [100, 1_000, 10_000];

/** Waiters, by how they stand. */
export const waiters: readonly (readonly [name: string, demand: Demand])[] = [
  ...counts.map((count) => [`${whole(count)}, each first in line`, demandOfFirst(count)] as const),
  ...counts.map((count) => [`${whole(count)}, in full lines`, demandOfFullLines(count)] as const),
];

/** Capacity as Markdown, as it stands in `infra/capacity.md`. */
export function capacityTables(): Readonly<Record<'one lock' | 'table' | 'waiters' | 'limits', string>> {
  return {
    'one lock': tableOfRows(
      [
        'one lock goes',
        'write units a grant',
        'by units, grants a second',
        'measured, a hand-over',
        'so, grants a second',
      ],
      oneLock(),
    ),
    table: tableOfRows(
      [
        'held locks',
        'lease',
        'grants a second',
        'requests a second',
        'write units a second',
        'slots of the account',
        'a month over the API',
        'to do first',
        'a month embedded',
        'to do first',
      ],
      loads.map(loadRow),
    ),
    waiters: tableOfRows(
      [
        'waiters',
        'requests a second',
        'write units a second',
        'read units a second',
        'slots',
        'a month',
        'to do first',
      ],
      waiters.map(([name, demand]) => waitersRow(name, demand)),
    ),
    limits: tableOfRows(
      ['limit of AWS', 'value', 'can be raised', 'read at, November 2026'],
      Object.values(quotas).map(({ what, value, canBeRaised, page }) => [
        what,
        whole(value),
        canBeRaised ? 'yes' : 'no',
        page,
      ]),
    ),
  };
}

function oneLock(): string[][] {
  const waited = operations['lock and unlock with a wait and a hand-over, the wait itself apart']?.writeUnits ?? 0;
  const row = (what: string, units: number, ms?: number) => {
    const byUnits = quotas.partitionWrites.value / units;
    const byTime = ms === undefined ? undefined : secondMs / ms;
    return [
      what,
      whole(units),
      whole(byUnits),
      ms === undefined ? '' : `${ms} ms`,
      byTime === undefined ? '' : whole(Math.min(byTime, byUnits)),
    ];
  };
  return [
    row('from flow to flow of one process, embedded', 1, measuredMs.inProcessEmbedded),
    row('from flow to flow of one process, over HTTP', 1, measuredMs.inProcessHttp),
    row('from one owner to another, with nobody in line', 2),
    row('from process to process, at most 13 in line, over HTTP', waited, measuredMs.betweenProcesses),
    row('from process to process, 64 in line, over HTTP', waited * fullLineUnits, measuredMs.betweenProcesses),
  ];
}

function loadRow(load: Load): string[] {
  const demand = demandOf(load);
  const advice = adviceForLoad(load);
  // Each of several lock services has a table; embedded clients share one.
  const ofTables = tableLimits(demandOf(partOf(load, advice.services)));
  return [
    whole(load.heldLocks),
    `${whole(load.leaseMs / secondMs)} s`,
    whole(load.grantsPerSecond),
    whole(demand.requests),
    whole(demand.writeUnits),
    whole(accountSlots(demand.slots)),
    dollars(total(costOfMonth(demand))),
    [...listed(advice), ...ofTables].join(', '),
    dollars(costOfMonth(demand).table),
    tableLimits(demand).join(', '),
  ];
}

function partOf({ heldLocks, leaseMs, grantsPerSecond }: Load, parts: number): Load {
  return { heldLocks: heldLocks / parts, leaseMs, grantsPerSecond: grantsPerSecond / parts };
}

function waitersRow(name: string, demand: Demand): string[] {
  return [
    name,
    whole(demand.requests),
    whole(demand.writeUnits),
    whole(demand.readUnits),
    whole(demand.waitingSlots + demand.slots),
    dollars(total(costOfMonth(demand))),
    [...listed(adviceForWaits(demand)), ...tableLimits(demand)].join(', '),
  ];
}

function costOfMonth({ requests, writeUnits, readUnits, waitingSlots }: Demand): Cost {
  return costOf({
    requests: requests * monthSeconds,
    writeUnits: writeUnits * monthSeconds,
    readUnits: readUnits * monthSeconds,
    waitSeconds: waitingSlots * monthSeconds,
  });
}

function total({ api, lambda, table, logs }: Cost): number {
  return api + lambda + table + logs;
}

function dollars(amount: number): string {
  return `$${whole(amount)}`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function tableOfRows(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
