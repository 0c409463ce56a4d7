import {
  ConditionalCheckFailedException,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type DynamoDbV2 from 'aws-sdk/clients/dynamodb';
import { holdWrites } from '../../lock-writes.ts';
import type { Ground, Held, LockClient, LockSystem } from '../lock-system.ts';
import { clientV2, clientV3 } from './clients.ts';

const settings =
  'the two UpdateItem requests that Holdfast sends, built and marshalled before the measurement, answers left as they come';

/** The least that a lock on this database can take: its two writes and nothing else, through the same client. */
export const floorV3: LockSystem = {
  name: 'floor (SDK v3)',
  kind: 'floor',
  sdk: 'v3',
  settings,
  async connect(ground) {
    const client = clientV3(ground.endpoint);
    const send = async (input: UpdateItemCommandInput) => {
      await client.send(new UpdateItemCommand(input)).catch((error: unknown) => {
        const refused = error instanceof ConditionalCheckFailedException;
        if (!refused || !wasRepeated((error.$metadata.attempts ?? 1) - 1)) throw error;
      });
    };
    return new FloorClient(ground, send, () => client.destroy());
  },
};

/** The same on SDK v2, with equal settings. */
export const floorV2: LockSystem = {
  name: 'floor (SDK v2)',
  kind: 'floor',
  sdk: 'v2',
  settings,
  async connect(ground) {
    const { client, close } = clientV2(ground.endpoint);
    const send = async (input: UpdateItemCommandInput) => {
      let retries = 0;
      const request = client.updateItem(input as DynamoDbV2.UpdateItemInput);
      request.on('complete', (response) => {
        retries = (response as { retryCount?: number }).retryCount ?? 0;
      });
      await request.promise().catch((error: Error & { code?: string }) => {
        if (error.code !== 'ConditionalCheckFailedException' || !wasRepeated(retries)) throw error;
      });
    };
    return new FloorClient(ground, send, close);
  },
};

// The SDK repeats what gets no answer in time. Then the first one was written: nobody else wants the lock.
function wasRepeated(retries: number): boolean {
  return retries > 0;
}

interface Prepared {
  readonly claim: UpdateItemCommandInput;
  readonly release: UpdateItemCommandInput;
}

class FloorClient implements LockClient {
  readonly #table: string;
  readonly #send: (input: UpdateItemCommandInput) => Promise<void>;
  readonly #close: () => void;
  readonly #prepared = new Map<string, Prepared[]>();

  constructor({ table }: Ground, send: (input: UpdateItemCommandInput) => Promise<void>, close: () => void) {
    this.#table = table;
    this.#send = send;
    this.#close = close;
  }

  prepare(lockIds: readonly string[]): void {
    for (const lockId of lockIds) {
      const waiting = this.#prepared.get(lockId) ?? [];
      waiting.push(this.#build(lockId));
      this.#prepared.set(lockId, waiting);
    }
  }

  async lock(lockId: string): Promise<Held> {
    const { claim, release } = this.#prepared.get(lockId)?.pop() ?? this.#build(lockId);
    await this.#send(claim);
    return { release: () => this.#send(release) };
  }

  async close(): Promise<void> {
    this.#close();
  }

  #build(lockId: string): Prepared {
    const { claim, release } = holdWrites(this.#table, lockId);
    return { claim: marshalled(claim), release: marshalled(release) };
  }
}

function marshalled({ Key, ExpressionAttributeValues, ...rest }: UpdateCommandInput): UpdateItemCommandInput {
  return {
    ...(rest as Omit<UpdateItemCommandInput, 'Key' | 'ExpressionAttributeValues'>),
    Key: marshall(Key),
    ExpressionAttributeValues: marshall(ExpressionAttributeValues),
  };
}
