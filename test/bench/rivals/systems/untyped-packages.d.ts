// The package comes without types. What is used of it, as its README documents it.
declare module 'dynamodb-lock-client' {
  import type { EventEmitter } from 'node:events';
  import type { DocumentClient } from 'aws-sdk/clients/dynamodb';

  interface CommonOptions {
    readonly dynamodb: DocumentClient;
    readonly lockTable: string;
    readonly partitionKey: string;
    /** Default 1. */
    readonly retryCount?: number;
  }

  interface FailClosedOptions extends CommonOptions {
    readonly acquirePeriodMs: number;
  }

  interface FailOpenOptions extends CommonOptions {
    readonly leaseDurationMs: number;
    readonly heartbeatPeriodMs?: number;
    readonly trustLocalTime?: boolean;
  }

  class Lock extends EventEmitter {
    readonly fencingToken?: number;
    release(callback: (error?: Error) => void): void;
  }

  class FailClosed {
    constructor(options: FailClosedOptions);
    acquireLock(lockId: string, callback: (error: (Error & { code?: string }) | undefined, lock: Lock) => void): void;
  }

  class FailOpen {
    constructor(options: FailOpenOptions);
    acquireLock(lockId: string, callback: (error: (Error & { code?: string }) | undefined, lock: Lock) => void): void;
  }
}
