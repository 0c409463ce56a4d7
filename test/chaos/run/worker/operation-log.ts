import { HoldfastError, LeaseLostError, LockServiceError } from '../../../../sdk/index.ts';
import type { HistoryEvent } from '../../history.ts';
import type { Arguments, Failure, Operation, Results } from '../../operations.ts';
import type { Recorder } from './recorder.ts';

/** What an operation ends with when it is no success. */
export type Failed = { readonly failure: Failure } | { readonly unknown: string };

/** Thrown by an operation that changed nothing, or perhaps did; the history tells it in these words. */
export class OperationFailed extends Error {
  constructor(readonly failed: Failed) {
    super(JSON.stringify(failed));
  }
}

/** Writes down the operations of one flow. */
export class OperationLog {
  readonly #recorder: Recorder;
  readonly #flow: string;

  constructor(recorder: Recorder, flow: string) {
    this.#recorder = recorder;
    this.#flow = flow;
  }

  newOperation(): string {
    return this.#recorder.newOperation();
  }

  invoke<O extends Operation>(operation: O, lockId: string, args: Arguments[O], op = this.newOperation()): string {
    this.#tell({ type: 'invoke', op, operation, lockId, flow: this.#flow, arguments: args });
    return op;
  }

  ok<O extends Operation>(op: string, operation: O, result: Results[O]): void {
    this.#tell({ type: 'ok', op, operation, result });
  }

  failed(op: string, error: unknown): void {
    const failed = failedBy(error);
    if ('unknown' in failed) this.#tell({ type: 'unknown', op, code: failed.unknown });
    else this.#tell({ type: 'fail', op, ...failed.failure });
  }

  /** Runs an operation and writes down how it ended: its result, or nothing. */
  async run<O extends Operation>(
    operation: O,
    lockId: string,
    args: Arguments[O],
    body: (op: string) => Promise<Results[O]>,
    op?: string,
  ): Promise<Results[O] | undefined> {
    const id = this.invoke(operation, lockId, args, op);
    try {
      const result = await body(id);
      this.ok(id, operation, result);
      return result;
    } catch (error) {
      this.failed(id, error);
      return undefined;
    }
  }

  // The operation and what belongs to it were put together by the caller's types.
  #tell(event: object): void {
    this.#recorder.tell(event as Parameters<Recorder['tell']>[0] & HistoryEvent);
  }
}

function failedBy(error: unknown): Failed {
  if (error instanceof OperationFailed) return error.failed;
  if (error instanceof LeaseLostError) return { failure: { code: error.code, reason: error.reason } };
  if (error instanceof LockServiceError && error.outcomeUnknown) return { unknown: error.code };
  if (error instanceof HoldfastError) return { failure: { code: error.code } };
  throw error;
}
