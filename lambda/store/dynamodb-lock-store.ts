import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DeleteCommandInput,
  DynamoDBDocumentClient,
  GetCommand,
  ScanCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { LockItem } from '../service/lock-item.ts';
import type {
  Break,
  Claim,
  ClaimAsHead,
  ClaimPast,
  HandOver,
  Join,
  KeepTicket,
  Leave,
  ListQuery,
  ListResult,
  LockStore,
  Release,
  ReleasePast,
  Removal,
  Renew,
  Transfer,
  WriteResult,
} from '../service/lock-store.ts';
import { storeError } from './dynamodb-error.ts';
import { claimAsHeadUpdate, claimPastUpdate, claimUpdate } from './expressions/claim.ts';
import {
  breakUpdate,
  handOverUpdate,
  releasePastUpdate,
  releaseUpdate,
  renewUpdate,
  transferUpdate,
} from './expressions/hold.ts';
import { joinUpdate, keepTicketUpdate, leaveUpdate } from './expressions/line.ts';
import { stateFilter } from './expressions/list.ts';
import { removeCondition } from './expressions/remove.ts';
import type { Update } from './expressions/update.ts';

/**
 * Locks in one DynamoDB table, partition key `lockId` (S), nothing else.
 *
 * A write that is refused brings the item that refused it. Where the endpoint leaves it out, one strongly consistent
 * read takes its place.
 */
export class DynamoDbLockStore implements LockStore {
  readonly #documents: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#documents = DynamoDBDocumentClient.from(client);
    this.#table = table;
  }

  claim(operation: Claim): Promise<WriteResult> {
    return this.#write(operation.lockId, claimUpdate(operation));
  }

  claimAsHead(operation: ClaimAsHead): Promise<WriteResult> {
    return this.#write(operation.lockId, claimAsHeadUpdate(operation));
  }

  claimPast(operation: ClaimPast): Promise<WriteResult> {
    return this.#write(operation.lockId, claimPastUpdate(operation));
  }

  join(operation: Join): Promise<WriteResult> {
    return this.#write(operation.lockId, joinUpdate(operation));
  }

  keepTicket(operation: KeepTicket): Promise<WriteResult> {
    return this.#write(operation.lockId, keepTicketUpdate(operation));
  }

  leave(operation: Leave): Promise<WriteResult> {
    return this.#write(operation.lockId, leaveUpdate(operation));
  }

  renew(operation: Renew): Promise<WriteResult> {
    return this.#write(operation.lockId, renewUpdate(operation));
  }

  release(operation: Release): Promise<WriteResult> {
    return this.#write(operation.lockId, releaseUpdate(operation));
  }

  handOver(operation: HandOver): Promise<WriteResult> {
    return this.#write(operation.lockId, handOverUpdate(operation));
  }

  releasePast(operation: ReleasePast): Promise<WriteResult> {
    return this.#write(operation.lockId, releasePastUpdate(operation));
  }

  transfer(operation: Transfer): Promise<WriteResult> {
    return this.#write(operation.lockId, transferUpdate(operation));
  }

  breakHold(operation: Break): Promise<WriteResult> {
    return this.#write(operation.lockId, breakUpdate(operation));
  }

  remove(removal: Removal): Promise<WriteResult> {
    const { lockId } = removal;
    const input: DeleteCommandInput = {
      TableName: this.#table,
      Key: { lockId },
      ...removeCondition(removal),
      ReturnValues: 'ALL_OLD',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
    return this.#conditional('remove', lockId, () => this.#documents.send(new DeleteCommand(input)));
  }

  async read(lockId: string, { consistent }: { consistent: boolean }): Promise<LockItem | undefined> {
    try {
      const { Item } = await this.#documents.send(
        new GetCommand({ TableName: this.#table, Key: { lockId }, ConsistentRead: consistent }),
      );
      return Item as LockItem | undefined;
    } catch (error) {
      throw storeError('read', error);
    }
  }

  async list(query: ListQuery): Promise<ListResult> {
    try {
      const { Items = [], LastEvaluatedKey } = await this.#documents.send(
        new ScanCommand({
          TableName: this.#table,
          Limit: query.limit,
          ...stateFilter(query),
          ...(query.after !== undefined && { ExclusiveStartKey: { lockId: query.after } }),
        }),
      );
      return { items: Items as LockItem[], ...(LastEvaluatedKey && { next: LastEvaluatedKey['lockId'] }) };
    } catch (error) {
      throw storeError('list', error);
    }
  }

  #write(lockId: string, { operation, ...expressions }: Update): Promise<WriteResult> {
    const input: UpdateCommandInput = {
      TableName: this.#table,
      Key: { lockId },
      ...expressions,
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
    return this.#conditional(operation, lockId, () => this.#documents.send(new UpdateCommand(input)));
  }

  async #conditional(
    operation: string,
    lockId: string,
    send: () => Promise<{ readonly Attributes?: Record<string, unknown> | undefined }>,
  ): Promise<WriteResult> {
    try {
      const { Attributes } = await send();
      return { written: true, item: Attributes as unknown as LockItem };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw storeError(operation, error);
      // The document client leaves this item in DynamoDB's own notation.
      const item = error.Item ? (unmarshall(error.Item) as LockItem) : await this.read(lockId, { consistent: true });
      const repeated = (error.$metadata.attempts ?? 1) > 1;
      return { written: false, item, ...(repeated && { repeated }) };
    }
  }
}
