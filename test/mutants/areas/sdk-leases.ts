import type { Mutant } from '../mutant.ts';

const lease = 'sdk/lease.ts';
const acquisition = 'sdk/acquisition.ts';

const by = (name: string, test: string) => ({ file: `test/unit/sdk/${name}.test.ts`, test });

/** How a holder counts its lease, renews it and gives it back. */
export const sdkLeases: readonly Mutant[] = [
  {
    name: 'the deadline counts from the answer to the grant',
    why: 'a holder believes that it holds when another does',
    file: acquisition,
    find: 'this.#front.acquired({ grant, ownerToken: this.#ownerToken, sentAt });',
    replace: 'this.#front.acquired({ grant, ownerToken: this.#ownerToken, sentAt: this.#connection.clocks.now() });',
    caughtBy: by('lease', 'counts from before the request was sent, less a thousandth'),
  },
  {
    name: 'the deadline counts from the answer to the renewal',
    why: 'a holder believes that it holds when another does',
    file: lease,
    find: 'this.#term.extend(sentAt, answer.leaseMs);',
    replace: 'this.#term.extend(clocks.now(), answer.leaseMs);',
    caughtBy: by('lease', 'counts from before the renewal was sent'),
  },
  {
    name: 'the deadline counts from the answer to the confirmation',
    why: 'a holder believes that it holds when another does',
    file: acquisition,
    find: `if (answer.kind === 'granted') return this.#grant(contender.request, answer, sentAt);`,
    replace: `if (answer.kind === 'granted') return this.#grant(contender.request, answer, clocks.now());`,
    caughtBy: by('lease', 'counts from before the renewal was sent that confirms a grant after waiting'),
  },
  {
    name: 'the deadline of an heir counts from the answer to the release',
    why: 'a holder believes that it holds when another does',
    file: 'sdk/release-attempts.ts',
    find: `if (answer.kind === 'released') return { kind: 'released', heir: answer.heir, heirMayHold, sentAt };`,
    replace: `if (answer.kind === 'released')
      return { kind: 'released', heir: answer.heir, heirMayHold, sentAt: clocks.now() };`,
    caughtBy: by('local-line', 'give an heir the lease that it asked for, counted from before the release was sent'),
  },
  {
    name: 'the deadline of an adopted lease counts from the answer',
    why: 'a holder believes that it holds when another does',
    file: 'sdk/adoption.ts',
    find: 'return { grant: answer.heir, ownerToken: heir.ownerToken, sentAt };',
    replace: 'return { grant: answer.heir, ownerToken: heir.ownerToken, sentAt: clocks.now() };',
    caughtBy: by('adoption', 'counts the lease from before the request that took it over'),
  },
  {
    name: 'the lease is counted to its last millisecond',
    why: 'clocks do not run at quite the same speed',
    file: 'sdk/deadline.ts',
    find: 'const leaseShare = 0.999;',
    replace: 'const leaseShare = 1;',
    caughtBy: by('lease', 'counts from before the request was sent, less a thousandth'),
  },
  {
    name: 'time is measured by the monotonic clock alone',
    why: 'a machine that slept believes that it still holds',
    file: 'sdk/clocks.ts',
    find: 'return Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs);',
    replace: 'return now.monotonicMs - since.monotonicMs;',
    caughtBy: by('lease', 'measures time by the clock that says more has passed'),
  },
  {
    name: 'time is measured by the wall clock alone',
    why: 'a holder whose clock is set back believes that it still holds',
    file: 'sdk/clocks.ts',
    find: 'return Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs);',
    replace: 'return now.wallMs - since.wallMs;',
    caughtBy: by('lease', 'is not moved by a wall clock that is set back'),
  },
  {
    name: 'a lease is renewed past its deadline',
    why: 'a process that thaws goes on with what it had to give up',
    file: lease,
    find: `    // Others may have had their turns before. A process that thaws past its deadline never renews.
    this.#look();
`,
    replace: '',
    caughtBy: by('lease', 'is never renewed past: a process that thaws sends nothing'),
  },
  {
    name: 'renewals are sent all at once',
    why: 'thousands that are due together take longer than each may, and none is renewed any more',
    file: lease,
    find: 'return this.#connection.renewals.take(send, Math.max(0, this.#term.leftMs / 4));',
    replace: 'return send();',
    caughtBy: by(
      'lease',
      'of many leases that are due at once is sent 250 at a time, and counts from when it was sent',
    ),
  },
  {
    name: 'a renewal waits for its turn as long as that takes',
    why: 'leases that get no answers keep others from being renewed until those are over',
    file: lease,
    find: 'take(send, Math.max(0, this.#term.leftMs / 4))',
    replace: 'take(send)',
    caughtBy: by('lease', 'waits no longer than a quarter of what it has left for others that get no answers'),
  },
  {
    name: 'a renewal that waited for its turn is sent after a release that failed',
    why: 'a lease is renewed that was given back',
    file: lease,
    find: `    const send = async () => {
      // A release may have been tried, and have failed, before this was due or while it waited for its turn.
      return how === 'by itself' && this.#isReleaseTried ? undefined : this.#sendRenewal();
    };`,
    replace: `    if (how === 'by itself' && this.#isReleaseTried) return Promise.resolve(undefined);
    const send = () => this.#sendRenewal();`,
    caughtBy: by('lease', 'that waits for its turn is not sent once a release was tried, which failed'),
  },
  {
    name: 'who gets no answer keeps its turn',
    why: 'some that hang keep all others from being sent',
    file: 'sdk/turns.ts',
    find: 'const timer = timerAside(passOn, turnMs);',
    replace: 'const timer = undefined;',
    caughtBy: by('turns', 'are given on after a second, whether there is an answer or not'),
  },
  {
    name: 'a process that ends gives all its locks back at once',
    why: 'thousands of releases take longer than each may, and some are never answered',
    file: 'sdk/clean-ups.ts',
    find: 'new Turns(atOnce)',
    replace: 'new Turns(1_000_000)',
    caughtBy: by(
      'lease',
      'gives thousands of locks back a hundred at a time, each told at once that its lease is lost',
    ),
  },
  {
    name: 'an answer that comes after the deadline brings the lease back',
    why: 'a lost lease is held again',
    file: lease,
    find: `    // The look comes first: an answer that comes in after the deadline changes nothing any more.
    this.#look();
    if (this.#state !== 'held') return answer;
`,
    replace: '',
    caughtBy: by(
      'lease',
      'stands although the answer to an earlier renewal is what a process first hears when it thaws',
    ),
  },
  {
    name: 'an answer that was sent earlier shortens the lease',
    why: 'a lease that is renewed twice at once ends before its time',
    file: 'sdk/lease-term.ts',
    find: 'if (!isLonger) return;',
    replace: 'if (isLonger && lengthMs < 0) return;',
    caughtBy: by('lease', 'is not brought nearer by the answer to an older renewal that comes in late'),
  },
  {
    name: 'a lease is renewed after its release was sent',
    why: 'a renewal brings back, or names anew, what was given up',
    file: lease,
    find: `    this.#state = 'releasing';
    this.#isReleaseTried = true;
    this.#timers.stop();`,
    replace: '    this.#isReleaseTried = true;',
    caughtBy: by('lease', 'is refused by hand while a release is tried'),
  },
  {
    name: 'a lease whose release failed is renewed by itself',
    why: 'nobody will release it, and nobody else gets it',
    file: lease,
    find: `how === 'by itself' && this.#isReleaseTried ? undefined : this.#sendRenewal()`,
    replace: 'this.#sendRenewal()',
    caughtBy: {
      ...by('lease', 'that failed and is not tried again frees the lock after one lease, for nothing renews it'),
      says: 'still pending after 31000 ms',
    },
  },
  {
    name: 'the text of a lease is taken as it is',
    why: 'one character that was changed is a lease of another lock, or with another fencing token',
    file: 'sdk/exported-lease.ts',
    find: 'if (checked !== base64Url + checksum(base64Url)) return undefined;',
    replace: '',
    caughtBy: by('adoption', 'refuses a text in which one character was changed'),
  },
  {
    name: 'failures before the last renewal count on',
    why: 'a lease that lives long is tried again later and later, and is over as if nobody had answered',
    file: lease,
    find: 'this.#failures = 0;',
    replace: '',
    caughtBy: by(
      'lease',
      'forgets what failed before the last success: the next failure is tried again as soon as a first one',
    ),
  },
  {
    name: 'whether a release may have been applied is what its last try says',
    why: 'a lease that was given back seems to be held again',
    file: 'sdk/release-attempts.ts',
    find: `if (answer.kind === 'unknown' && answer.error.outcomeUnknown) outcomeUnknown = true;`,
    replace: `if (answer.kind === 'unknown') outcomeUnknown = answer.error.outcomeUnknown;`,
    caughtBy: by(
      'lease',
      'that was applied unheard holds nothing any more, although what followed never reached the service',
    ),
  },
  {
    name: 'whether a grant may be there is what the last try says',
    why: 'what was granted unheard is not given back, and blocks everybody for a lease',
    file: acquisition,
    find: `if (answer.kind === 'unknown' && answer.error.outcomeUnknown) this.#unseen = true;`,
    replace: `if (answer.kind === 'unknown') this.#unseen = answer.error.outcomeUnknown;`,
    caughtBy: by(
      'acquisition',
      'what may have been granted is cleaned up after although the tries that followed never reached the service',
    ),
  },
  {
    name: 'whether a hold may have been broken is what the last try says',
    why: 'an administrator is told that nothing happened, and somebody’s hold is gone',
    file: 'sdk/administration.ts',
    find: 'outcomeUnknown ||= what.changes && error.outcomeUnknown;',
    replace: 'outcomeUnknown = what.changes && error.outcomeUnknown;',
    caughtBy: by(
      'administration',
      'knows that something may have happened when only the first try was of unknown outcome',
    ),
  },
  {
    name: 'a lease that is lost does not abort its signal',
    why: 'whoever works under it goes on',
    file: lease,
    find: 'this.#abort.abort(this.#lost);',
    replace: '',
    caughtBy: by('lease', 'aborts the signal when it passes without any answer, needing no reply'),
  },
  {
    name: 'a look at a lease does not compare the clocks',
    why: 'the first look after a freeze does not tell the truth',
    file: lease,
    find: `if (this.#state === 'held' && this.#term.leftMs <= 0) this.#lose(this.#expiry());`,
    replace: '',
    caughtBy: by('manual-renewal', 'runs no timer and is over after its length'),
  },
  {
    name: 'the bound of a hold moves with its renewals',
    why: 'a flow that hangs holds for ever',
    file: 'sdk/lease-term.ts',
    find: 'return Math.min(this.atServiceMs, holdLeftMs);',
    replace: 'return Math.max(this.atServiceMs, Math.min(0, holdLeftMs));',
    caughtBy: by('lease', 'of a hold comes with maxHoldMs, however often the lease was renewed'),
  },
  {
    name: 'the release of a lost lease is sent',
    why: 'it costs, and says "released" of what was lost',
    file: lease,
    find: `      this.#freeAfterMaxHold();
      throw this.#lost;`,
    replace: '      this.#freeAfterMaxHold();',
    caughtBy: by('lease', 'rejects its release at once and without a request, and leaves the successor alone'),
  },
  {
    name: 'a repeated release that finds another holder is a lost lease',
    why: 'a holder whose reply was lost is told that it lost the lock',
    file: 'sdk/release-attempts.ts',
    find: `if (!outcomeUnknown) return { kind: 'lost', reason: answer.reason };`,
    replace: `if (attempt >= 0) return { kind: 'lost', reason: answer.reason };`,
    caughtBy: by('lease', 'succeeds when a repeat after a lost reply finds another holder'),
  },
  {
    name: 'a first release that finds another holder is a success',
    why: 'a holder that lost the lock never learns',
    file: 'sdk/release-attempts.ts',
    find: `if (!outcomeUnknown) return { kind: 'lost', reason: answer.reason };`,
    replace: `if (attempt < 0) return { kind: 'lost', reason: answer.reason };`,
    caughtBy: by('lease', 'rejects an unlock that finds it superseded, without touching the rival'),
  },
  {
    name: 'a lease shows its owner token',
    why: 'logs hold what renews and releases',
    file: lease,
    find: `return { lockId: this.lockId, fencingToken: this.#fencingToken, remainingMs: this.remainingMs };`,
    replace: `return { lockId: this.lockId, fencingToken: this.#fencingToken, remainingMs: this.remainingMs, ...{ token: this.#ownerToken } };`,
    caughtBy: by('lock', 'tells unlocked from locked as text, and never shows the owner token'),
  },
  {
    name: 'an exported lease is held on',
    why: 'two processes believe that they hold',
    file: lease,
    find: `    this.#end('exported');
`,
    replace: '',
    caughtBy: by('adoption', 'is not held here any more, is renewed no longer, and its release does nothing'),
  },
  {
    name: 'a lease that is over is adopted',
    why: 'a step goes on that had to be done before',
    file: 'sdk/adoption.ts',
    find: 'Math.min(deadlineMs - sentAt.wallMs, unreachableAfterMs - elapsedMs(startedAt, clocks))',
    replace: 'unreachableAfterMs - elapsedMs(startedAt, clocks) + 0 * deadlineMs',
    caughtBy: by('adoption', 'rejects a lease that is over without a request, although nobody took the lock'),
  },
  {
    name: 'a lease is adopted under its old token',
    why: 'of several who adopt one text each believes that it holds',
    file: 'sdk/adoption.ts',
    find: 'const heir = { ownerToken: newOwnerToken(), leaseMs, holder };',
    replace: 'const heir = { ownerToken, leaseMs, holder };',
    caughtBy: by('adoption', 'is possible once: whoever comes second is told, and the first is not touched'),
  },
  {
    name: 'a lease that is awaited passes to the line when it is adopted',
    why: 'a workflow loses its lock between two steps',
    file: 'sdk/adoption.ts',
    find: 'heirFirst: true',
    replace: 'heirFirst: false',
    caughtBy: {
      ...by('adoption', 'does not pass over to whoever stands in line'),
      says: 'LeaseLostError',
    },
  },
  {
    name: 'what may have been adopted is not given back',
    why: 'nobody has the lock for one lease',
    file: 'sdk/adoption.ts',
    find: 'if (failure) void cleanUps.start({ lockId, ownerToken: heir.ownerToken });',
    replace: '',
    caughtBy: by('adoption', 'rejects with what went wrong when no answer came before the lease was over'),
  },
  {
    name: 'a hold of a logical thread is not counted',
    why: 'the inner unlock frees what the outer level works under',
    file: 'sdk/reentrant-holding.ts',
    find: 'if (hold.count > 1) {',
    replace: 'if (hold.count > 9) {',
    caughtBy: {
      ...by(
        'lock-owner',
        'takes its lock again by any of its handles, with one grant, and frees it with the last unlock',
      ),
      says: 'this owner does not hold lock',
    },
  },
  {
    name: 'a logical thread re-enters a lease that is lost',
    why: 'an outer level believes that a newer lease is its own',
    file: 'sdk/reentrant-holding.ts',
    find: `    hold.lease.assertHeld();
    hold.count++;`,
    replace: '    hold.count++;',
    caughtBy: by('lock-owner', 'rejects taking it again, and each unlock, until every level is through'),
  },
  {
    name: 'a body that its forks outlive gives the lock back',
    why: 'a branch works without the lock',
    file: 'sdk/scope.ts',
    find: 'if (this.#isSlotTaken) {',
    replace: 'if (this.#isSlotTaken && !this.#hasBodyEnded) {',
    caughtBy: by('scope', 'keep the lock until they have ended, when the body does not wait for them'),
  },
  {
    name: 'branches of a body enter at once',
    why: 'siblings that want the same lock do not exclude one another',
    file: 'sdk/scope.ts',
    find: 'if (!this.#isSlotTaken) {',
    replace: 'if (!this.#isSlotTaken || request.waitMs > 0) {',
    caughtBy: by('scope', 'exclude one another, in the order in which they came'),
  },
  {
    name: 'an item is not fenced against older fencing tokens',
    why: 'a holder that was frozen overwrites the work of its successor',
    file: 'sdk/fencing.ts',
    find: `'(attribute_not_exists(#holdfastFence) OR #holdfastFence <= :holdfastFence)'`,
    replace: `'(attribute_not_exists(#holdfastFence) OR #holdfastFence > :holdfastFence OR #holdfastFence <= :holdfastFence)'`,
    caughtBy: {
      file: 'test/contract/fencing.test.ts',
      test: 'refuses a write under an older hold, and keeps what it has',
    },
  },
  {
    name: 'a fenced item takes one write of a hold only',
    why: 'the second write under the same hold is refused',
    file: 'sdk/fencing.ts',
    find: '#holdfastFence <= :holdfastFence',
    replace: '#holdfastFence < :holdfastFence',
    caughtBy: {
      file: 'test/contract/fencing.test.ts',
      test: 'takes the first write, others under the same hold, and those under later ones',
      says: 'ConditionalCheckFailedException',
    },
  },
  {
    name: 'events hold the owner token',
    why: 'logs and metrics hold what renews and releases',
    file: lease,
    find: 'return { lockId: this.lockId, fencingToken: this.#fencingToken };',
    replace: 'return { lockId: this.lockId, fencingToken: this.#fencingToken, ownerToken: this.#ownerToken };',
    caughtBy: by('events', 'hold no owner token'),
  },
  {
    name: 'dispose releases what somebody works under, without telling',
    why: 'another has the lock while the flow goes on',
    file: lease,
    find: `      this.#lose('disposed');
`,
    replace: '',
    caughtBy: by('lease', 'tells whoever works on that the lease is lost, before another has the lock'),
  },
  {
    name: 'a hold whose release failed is forgotten',
    why: 'nobody can try again, and the lock is held until its lease ends',
    file: 'sdk/holding.ts',
    find: 'if (!(error instanceof LeaseLostError)) this.#leases.unshift(lease);',
    replace: '',
    caughtBy: {
      ...by('lease', 'rejects after 5 s without an answer, holds nothing any more, and may be tried again'),
      says: 'does not hold lock',
    },
  },
  {
    name: 'a hold that was lost stays on its handle for ever',
    why: 'the handle rejects each unlock of a newer hold',
    file: 'sdk/holding.ts',
    find: 'if (!(error instanceof LeaseLostError)) this.#leases.unshift(lease);',
    replace: 'this.#leases.unshift(lease);',
    caughtBy: {
      ...by('lease', 'stays on the handle until one unlock has rejected with it, and that does not touch a newer hold'),
      says: 'the lease of lock "a" is lost',
    },
  },
  {
    name: 'the timers of a held lease keep the process alive',
    why: 'a process that forgot to unlock never ends, and renews for ever',
    file: 'sdk/pause.ts',
    find: `if (typeof timer === 'object') timer.unref();`,
    replace: '',
    caughtBy: {
      ...by('memory', 'a process that waits for a lock stays, and one that forgot to unlock ends'),
      says: 'Command failed',
    },
    slow: true,
  },
];
