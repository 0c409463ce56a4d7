import type { Fault, Scenario } from './scenario.ts';
import { coarseTiming, tickMs } from './ticks.ts';

/** Two clients that want the lock once each, on hosts whose clocks are one margin apart, and nothing goes wrong. */
export const twoClients: Scenario = {
  name: 'nothing goes wrong',
  clients: 2,
  modes: ['try', 'embedded'],
  acquisitions: 1,
  renewals: 1,
  leaseMs: 4 * tickMs,
  waitMs: 2 * tickMs,
  timing: coarseTiming(),
  clocksMs: [0, tickMs, 0],
  faults: [],
  faultBudget: 0,
  slowBudget: 1,
  lateTicks: 6,
  calmTicks: 40,
};

const lostAndLate: readonly Fault[] = ['reply lost', 'sent again', 'held up', 'duplicate'];
const givenUp: readonly Fault[] = ['crash', 'time-out', 'abort'];
const anything: readonly Fault[] = [...lostAndLate, ...givenUp, 'stale', 'break'];

const faulty = (name: string, faults: readonly Fault[], more: Partial<Scenario> = {}): Scenario => ({
  ...twoClients,
  name,
  faults,
  faultBudget: 1,
  modes: ['embedded'],
  ...more,
});

const asks = (client: string): string[] => [`${client} asks (embedded)`, `${client}: claim(`];
const joins = (client: string): string[] => [...asks(client), `${client}: join(`];

/** Each holder may release with its own next acquisition as the heir. */
const passedOn: Partial<Scenario> = { passesOn: true, acquisitions: 2, renewals: 0, cleansUp: true };

/** A releases with an heir, and B has been refused and may join at any time. */
const passedOnBesideAnother: Partial<Scenario> = {
  ...passedOn,
  faultBudget: 2,
  prefix: [...asks('A'), ...asks('B'), 'A sends release with'],
};

/** A releases with an heir, and gets no answer while that request goes on. */
const passedOnUnanswered: Partial<Scenario> = {
  ...passedOn,
  renewals: 1,
  faultBudget: 2,
  modes: ['http'],
  prefix: ['A asks (http)', 'A: claim(', 'A sends release with', 'A: time-out'],
};

/** What is explored, by two clients or by more. */
export const scenarios: readonly Scenario[] = [
  { ...twoClients, acquisitions: 2 },
  faulty('lost and late writes, embedded', lostAndLate),
  faulty('lost and late writes, over HTTP', lostAndLate, { modes: ['http'] }),
  faulty('lost and late writes, without confirming', lostAndLate, { modes: ['plain'] }),
  faulty('old reads, embedded', ['stale'], { faultBudget: 2 }),
  faulty('old reads, over HTTP', ['stale'], { faultBudget: 2, modes: ['http'] }),
  faulty('crashes and aborts, embedded', givenUp, { faultBudget: 2 }),
  faulty('crashes, time-outs and aborts, over HTTP', givenUp, { modes: ['http'] }),
  faulty('crashes, time-outs and aborts, cleaned up', givenUp, { modes: ['http'], cleansUp: true }),
  faulty('an administrator', ['break', 'duplicate'], { faultBudget: 2, renewals: 0 }),
  faulty('each operation on another host', lostAndLate, { roaming: true, renewals: 0 }),
  faulty('a lease shorter than the claim window', lostAndLate, { leaseMs: 2 * tickMs }),
  faulty('one held open', givenUp, { modes: ['http'], timing: coarseTiming({ heldOpen: 1 }) }),
  faulty('room for one in line', givenUp, { timing: coarseTiming({ lineLimit: 1 }) }),
  faulty('slow clients', [], { faultBudget: 0, slowBudget: 4, acquisitions: 2, renewals: 0 }),
  { ...twoClients, name: 'deletion', deletion: true, acquisitions: 2, renewals: 0, slowBudget: 0 },
  faulty('anything, twice', anything, { faultBudget: 2, modes: ['try', 'embedded', 'http', 'plain'] }),
  faulty('passed on, lost and late writes', lostAndLate, passedOn),
  faulty('passed on after an old look', ['stale', 'reply lost'], { ...passedOn, looksFirst: true, faultBudget: 2 }),
  faulty('passed on over HTTP, anything, twice', anything, { ...passedOn, modes: ['http'], faultBudget: 2 }),
  faulty('passed on while another joins, anything', anything, passedOnBesideAnother),
  faulty('passed on over HTTP, its outcome unknown, anything', anything, passedOnUnanswered),
];

/** A holds, and B, or B and C, stand in line: what is explored from there on. */
const pair: Partial<Scenario> = { prefix: [...asks('A'), ...joins('B')] };
const line: Partial<Scenario> = { clients: 3, renewals: 0, prefix: [...asks('A'), ...joins('B'), ...joins('C')] };
const pairOverHttp: Partial<Scenario> = {
  modes: ['http'],
  // Each tries first, and waits when that was refused.
  prefix: ['A asks (http)', 'A: claim(', 'B asks (http)', 'B: claim(', 'B asks again', 'B: claim(', 'B: join('],
};

/** What is followed from where it is interesting. */
export const followed: readonly Scenario[] = [
  faulty('one in line, anything', anything, pair),
  faulty('one in line over HTTP, anything', anything, pairOverHttp),
  faulty('one in line over HTTP, anything, twice', anything, { ...pairOverHttp, renewals: 0, faultBudget: 2 }),
  faulty('two in line', [], { ...line, faultBudget: 0, slowBudget: 2 }),
  faulty('two in line, crashes and aborts', givenUp, { ...line, faultBudget: 2 }),
  faulty('two in line, lost and late writes', lostAndLate, line),
  faulty('two in line, old reads', ['stale'], { ...line, faultBudget: 2 }),
];
