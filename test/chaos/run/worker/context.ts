import { AsyncLocalStorage } from 'node:async_hooks';
import type { LockEvent } from '../../../../sdk/events.ts';
import { type Hold, remaining } from './hold.ts';
import type { Presence } from './messages.ts';
import type { Recorder } from './recorder.ts';

/** The operation that acquires, and what became of it. */
export interface Acquiring {
  readonly op: string;
  /** As the SDK told it, whatever has become of the hold since. */
  fencingToken?: number;
  hold?: Hold;
  /** What came of its release. */
  released?: 'released' | { readonly error: Error };
}

/** The acquisition on whose behalf something runs: the SDK tells its events where the flow runs that wanted the lock. */
export const acquiring = new AsyncLocalStorage<Acquiring>();

/** Writes down what the SDK tells of acquisitions and holds. */
export function eventWriter(recorder: Recorder, isPresent: (presence: Presence) => void): (event: LockEvent) => void {
  return (event) => {
    const of = acquiring.getStore();
    if (!of) return;
    switch (event.type) {
      case 'waiting':
        recorder.tell({ type: 'waiting', op: of.op });
        isPresent('waiting');
        break;
      case 'acquired':
        of.fencingToken = event.fencingToken;
        break;
      case 'renewed':
        // A look of our own: only it has the clock before it.
        if (of.hold) recorder.tell({ type: 'renewed', hold: of.op, ...remaining(of.hold) });
        break;
      case 'released':
        of.released = 'released';
        break;
      case 'releaseFailed':
        of.released = { error: event.error };
        break;
    }
  };
}
