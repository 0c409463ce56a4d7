import type { LockItem } from '../../lambda/service/lock-item.ts';
import { currentFence } from './item-frame.ts';
import type { Scenario } from './scenario.ts';
import type { StoreCall } from './store-call.ts';
import { T0 } from './ticks.ts';
import { believes, type Client, isWaiting, type World } from './world.ts';
import { concerns } from './world-changes.ts';

/** Something happened that the protocol rules out. */
export class Violation extends Error {
  override name = 'Violation' as const;
}

function require(holds: boolean, otherwise: string): void {
  if (!holds) throw new Violation(otherwise);
}

const grants = ['claim', 'claimAsHead', 'claimPast', 'handOver', 'transfer'];
const claims = ['claim', 'claimAsHead', 'claimPast'];
const past = ['claim', 'claimPast', 'releasePast'];
const handsOver = ['handOver', 'breakHold'];

/** What every write must keep, whoever sent it and whenever it arrives. */
export function checkWrite(scenario: Scenario, world: World, call: StoreCall, after: LockItem): void {
  const before = world.item;
  if (!scenario.promisesOnly) {
    checkShape(before, after);
    if (before !== undefined) {
      checkTakeOver(scenario, before, call);
      checkOthers(before, call, after);
      checkTickets(scenario, before, call, after);
    }
  }
  if (before === undefined) return;
  checkFence(before, call, after);
  checkLine(world, before, call, after);
}

function checkShape(before: LockItem | undefined, after: LockItem): void {
  const { owner, until, since, holder, principal, queue, tickets, rev, ttl } = after;
  require(rev === (before?.rev ?? 0) + 1, 'a write did not raise the revision by one');
  require(new Set(queue).size === queue.length, 'a waiter stands in line twice');
  require(Object.keys(tickets).sort().join() ===
    [...queue].sort().join(), 'the line and the tickets have different waiters');
  require(owner === undefined || !queue.includes(owner), 'the owner stands in line');
  require((until !== undefined) === (owner !== undefined), 'an owner without an end of its lease, or the reverse');
  require((since !== undefined) === (owner !== undefined), 'an owner without a beginning, or the reverse');
  require((holder === undefined) === (principal === undefined), 'a holder without a principal, or the reverse');
  require(owner !== undefined || principal === undefined, 'a principal without an owner');
  require(Number.isInteger(ttl) && ttl * 1_000 > (until ?? 0), 'an item that may be deleted before its lease is over');
}

function checkFence(before: LockItem, { operation }: StoreCall, after: LockItem): void {
  const granted = grants.includes(operation) || (operation === 'breakHold' && after.owner !== undefined);
  require(after.fence >= before.fence, 'the fence fell');
  require(!granted || after.fence > before.fence, 'a grant did not raise the fence');
  require(granted || after.owner === before.owner || after.owner === undefined, 'an owner without a grant');
}

function checkTakeOver(scenario: Scenario, before: LockItem, { operation, argument }: StoreCall): void {
  const { me } = argument;
  require(operation !== 'transfer' || before.owner === me, 'a lock was passed on by a token that did not hold it');
  if (!claims.includes(operation)) return;
  const over = latestCut(scenario);
  require(before.owner === undefined ||
    before.owner === me ||
    (before.until ?? 0) <= over, 'a lease was taken before it was over by the margin');
  require(me !== before.last && me !== before.broken, 'a token that has had its lease was granted the lock again');
}

function checkOthers(before: LockItem, { operation, argument }: StoreCall, after: LockItem): void {
  const { me = argument.victim } = argument;
  if (before.owner !== undefined && before.owner !== me && !claims.includes(operation)) {
    require(after.owner === before.owner &&
      after.until === before.until &&
      after.principal === before.principal, "an operation changed another owner's hold");
  }
  const stayed = after.queue.filter((waiter) => waiter !== me || before.queue.includes(waiter));
  require(stayed.every((waiter) => before.queue.includes(waiter)), 'an operation put another token in line');
  require(before.queue.filter((waiter) => after.queue.includes(waiter)).join() ===
    stayed.join(), 'the line changed its order');
  for (const waiter of stayed) {
    if (waiter === me) {
      require((after.tickets[waiter] ?? 0) >= (before.tickets[waiter] ?? 0), 'a ticket was shortened');
    } else {
      require(after.tickets[waiter] === before.tickets[waiter], "an operation changed another waiter's ticket");
    }
  }
}

function checkTickets(scenario: Scenario, before: LockItem, call: StoreCall, after: LockItem): void {
  if (!past.includes(call.operation) && !handsOver.includes(call.operation)) return;
  const over = latestCut(scenario);
  require(goneOf(before, call, after).every(
    (waiter) => (before.tickets[waiter] ?? 0) <= over,
  ), 'a waiter whose ticket is valid was removed from the line');
}

// Those who did not leave the line by themselves, nor by a grant.
function goneOf({ queue }: LockItem, { argument }: StoreCall, after: LockItem): string[] {
  return queue.filter((waiter) => waiter !== argument.me && !after.queue.includes(waiter) && waiter !== after.owner);
}

function checkLine(world: World, before: LockItem, call: StoreCall, after: LockItem): void {
  const gone = goneOf(before, call, after);
  const owner = after.owner;
  const newOwner = owner !== undefined && (owner !== before.owner || after.fence !== before.fence);
  const place = newOwner ? before.queue.indexOf(owner) : 0;
  const passed = place < 0 ? before.queue : before.queue.slice(0, place);
  for (const client of world.clients) {
    // Whoever missed one look, or saw an old item, is still within its claim window.
    if (!isWaiting(client) || client.late > 1 || client.token === call.argument.me) continue;
    require(!gone.includes(client.token), 'a live waiter was removed from the line');
    require(!passed.includes(client.token), 'a live waiter was overtaken');
  }
}

/** What every state must keep. */
export function checkState(scenario: Scenario, { clients, item }: World): void {
  const holders = clients.filter(believes);
  require(holders.length <= 1, 'two clients believe that they hold the lock');
  if (scenario.promisesOnly) return;
  for (const holder of holders) {
    require(item?.owner === holder.token &&
      item.fence === currentFence &&
      holder.fence === currentFence, 'a client believes that it holds the lock, and the item does not say so');
    const taken = (item?.until ?? 0) + T0 - latestCut(scenario);
    require(taken >= holder.deadline, 'a client believes that it holds the lock for longer than the item says');
  }
}

/** Of a client that was told `place-lost`. */
export function checkPlaceLost({ item }: World, { token }: Client): void {
  require(item?.owner !== token && !item?.queue.includes(token), 'place-lost, with a place in line or the lock itself');
}

/** Of a client whose token was released with nothing of it under way any more. */
export function checkNothingLeft({ item, strays, late }: World, { token }: Client): void {
  const comes =
    strays.some(({ request }) => concerns(request, token)) ||
    late.some(({ call: { argument } }) => argument.me === token || argument.heir === token);
  if (comes) return;
  require(item?.owner !== token && !item?.queue.includes(token), 'a token was released and something of it is left');
}

// Of the host whose clock is ahead the most.
function latestCut({ clocksMs, timing }: Scenario): number {
  return T0 + Math.max(...clocksMs) - timing.clockSkewMs;
}
