/** dynalite brings no types. These are the parts of it that the local stack uses. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  interface DynaliteOptions {
    /** Folder of the data; in memory when left out. */
    path?: string;
    /** How long a new table stays in CREATING, milliseconds; the others alike. */
    createTableMs?: number;
    deleteTableMs?: number;
    updateTableMs?: number;
  }

  /** An HTTP server that speaks DynamoDB. Closing it closes its database. */
  export default function dynalite(options?: DynaliteOptions): Server;
}

declare module 'dynalite/db/index.js' {
  /** What a dynalite server keeps its tables in. */
  export interface Store {
    readonly db: { open(): Promise<void> };
  }

  const stores: { create(options: object): Store };
  export default stores;
}
