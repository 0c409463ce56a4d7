import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DeleteCommandInput,
  DynamoDBDocumentClient,
  GetCommand,
  ScanCommand,
} from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
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
  readonly #client: DynamoDBClient;
  readonly #documents: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
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
    return this.#conditional('remove', lockId, async () => {
      const { Attributes } = await this.#documents.send(new DeleteCommand(input));
      return Attributes as LockItem;
    });
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

  // Past the document client, which puts its middleware together anew for each command: of what taking and giving back a
  // lock costs this process, that is a tenth.
  #write(lockId: string, { operation, ExpressionAttributeValues, ...expressions }: Update): Promise<WriteResult> {
    return this.#conditional(operation, lockId, async () => {
      const input: UpdateItemCommandInput = {
        TableName: this.#table,
        Key: { lockId: { S: lockId } },
        ...expressions,
        ExpressionAttributeValues: marshall(ExpressionAttributeValues),
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      };
      const { Attributes } = await this.#client.send(new UpdateItemCommand(input));
      return itemOf(Attributes);
    });
  }

  async #conditional(operation: string, lockId: string, send: () => Promise<LockItem>): Promise<WriteResult> {
    try {
      return { written: true, item: await send() };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw storeError(operation, error);
      // The document client leaves this item in DynamoDB's own notation.
      const item = error.Item ? itemOf(error.Item) : await this.read(lockId, { consistent: true });
      const repeated = (error.$metadata.attempts ?? 1) > 1;
      return { written: false, item, ...(repeated && { repeated }) };
    }
  }
}

function itemOf(attributes: Record<string, AttributeValue> = {}): LockItem {
  return unmarshall(attributes) as LockItem;
}
