import { mkdirSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import { dirname, resolve } from 'node:path';
import dynalite from 'dynalite';
import stores, { type Store } from 'dynalite/db/index.js';
import { StartError } from './start-error.ts';

/**
 * Makes a dynalite whose database is open, in a folder or in memory.
 *
 * dynalite opens its database in the background and says nothing when that fails: its first request then throws past
 * every catch. So the store is caught while dynalite makes it, and opened here.
 *
 * @throws StartError saying why the folder cannot be used
 */
export async function openDynalite(folder: string | undefined): Promise<Server> {
  const path = folder === undefined ? undefined : resolve(folder);
  if (path !== undefined) makeDataFolder(path);
  const made: Store[] = [];
  const { create } = stores;
  stores.create = (options) => {
    const store = create(options);
    made.push(store);
    return store;
  };
  let server: Server;
  try {
    server = dynalite({ ...(path !== undefined && { path }), createTableMs: 0 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    throw new StartError(
      '--data needs the package classic-level, which is not installed: npm install classic-level, where holdfast is installed; or leave out --data to keep the locks in memory',
    );
  } finally {
    stores.create = create;
  }
  for (const { db } of made) {
    try {
      await db.open();
    } catch (error) {
      throw new StartError(faultOf(path ?? '', (error as Error).cause ?? error));
    }
  }
  return server;
}

function makeDataFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    throw new StartError(faultOf(path, error));
  }
}

// Not by the recursive way of Node, which never ends where nothing can be made although nothing refuses it, as below /proc.
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Made by another meanwhile.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

function faultOf(folder: string, cause: unknown): string {
  const { code, message } = cause as { code?: string; message?: string };
  switch (code) {
    case 'LEVEL_LOCKED':
      return `the data folder ${folder} is in use by another local stack; stop that one, or give --data another folder`;
    case 'EEXIST':
    case 'ENOTDIR':
      return `--data must be a folder, got a file in the way of ${folder}; give another path`;
    case 'LEVEL_CORRUPTION':
      return `the data folder ${folder} is damaged (${message}); delete it to begin with no locks`;
    default:
      return `cannot write to the data folder ${folder} (${message ?? code}); change its permissions, or give --data another folder`;
  }
}
