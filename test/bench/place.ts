import type { LockFactory } from '../../sdk/index.ts';

/** Where a client finds its locks, as a process can be told on its command line. */
export type Place =
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 'embedded'; readonly endpoint: string; readonly table: string }
  /** In the memory of the process that connects to it. */
  | { readonly kind: 'memory' };

export type BackendName = Place['kind'];

/** A new factory over the locks of a place. It loads only what that backend needs, as a program would. */
export async function connect(place: Place): Promise<LockFactory> {
  switch (place.kind) {
    case 'http': {
      const { LockFactory } = await import('../../sdk/index.ts');
      return LockFactory.connect({ url: place.url });
    }
    case 'embedded': {
      const { connectEmbedded } = await import('../../sdk/embedded.ts');
      const { endpoint, table } = place;
      return connectEmbedded({ endpoint, table, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } });
    }
    case 'memory': {
      const { connectMemory, LockMemory } = await import('../../sdk/memory.ts');
      memory ??= new LockMemory();
      return connectMemory({ memory });
    }
  }
}

// All factories of this process share it.
let memory: import('../../sdk/memory.ts').LockMemory | undefined;
