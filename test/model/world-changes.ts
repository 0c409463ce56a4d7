import type { Whose } from './actions.ts';
import type { Process, Request } from './process.ts';
import type { StoreCall } from './store-call.ts';
import type { Client, World } from './world.ts';

/** Nobody waits for it any more: from now on it is late. */
export function withStray(world: World, process: Process): World {
  return { ...world, strays: [...world.strays, { ...process, pendingFor: 0 }] };
}

/** Whoever waited for such an operation to settle releases once more. */
export function withoutStrays(world: World, isGone: (stray: Process, index: number) => boolean): World {
  const strays = world.strays.filter((stray, index) => !isGone(stray, index));
  if (strays.length === world.strays.length) return world;
  const clients = world.clients.map((client) =>
    client.phase === 'settling' && !strays.some(({ request }) => concerns(request, client.token))
      ? { ...client, phase: 'unreleased' as const }
      : client,
  );
  return { ...world, strays, clients };
}

/** It may get this token the lock or a place in line, or take them from it. */
export function concerns({ token, heir }: Request, each: string): boolean {
  return token === each || heir === each;
}

export function fault(world: World): World {
  return { ...world, faultsLeft: world.faultsLeft - 1 };
}

/** It saw an old item. */
export function late(world: World, index: number): World {
  const client = clientAt(world, index);
  return withClient(world, index, { ...client, late: Math.min(2, client.late + 1) });
}

export function clientAt(world: World, index: number): Client {
  const client = world.clients[index];
  if (client === undefined) throw new Error(`no client ${index}`);
  return client;
}

export function withClient(world: World, index: number, client: Client): World {
  return { ...world, clients: world.clients.map((each, place) => (place === index ? client : each)) };
}

export function processOf({ clients, strays }: World, whose: Whose): Process {
  const process = 'client' in whose ? clients[whose.client]?.process : strays[whose.stray];
  if (process === undefined) throw new Error('no such operation');
  return process;
}

export function callOf({ pending }: Process): StoreCall {
  if (pending.kind !== 'call') throw new Error('it waits for no call');
  return pending.call;
}
