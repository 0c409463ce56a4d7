import { LockFactory } from '../../sdk/index.ts';

/** Where a client finds its locks, as a process can be told on its command line. */
export type Place = { readonly kind: 'http'; readonly url: string };

export type BackendName = Place['kind'];

/** A new factory over the locks of a place. */
export function connect(place: Place): LockFactory {
  return LockFactory.connect({ url: place.url });
}
