import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InterruptedError, LeaseLostError, LockServiceError } from '../../sdk/index.ts';
import { OperationFailed, OperationLog } from './run/worker/operation-log.ts';
import { Recorder } from './run/worker/recorder.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-log-'));
const file = join(folder, 'w1.1.jsonl');
const recorder = new Recorder('w1.1', file);
const log = new OperationLog(recorder, 'f0');

afterAll(() => {
  recorder.close();
  rmSync(folder, { recursive: true });
});

function lastEvent(): Record<string, unknown> {
  return JSON.parse(readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '');
}

const failing = (error: Error) => log.run('release', 'a', { hold: 'w1.1:1' }, () => Promise.reject(error));

describe('the log of a flow', () => {
  it('tells of an operation before it begins, and of its result', async () => {
    const result = await log.run('inspect', 'a', {}, async () => {
      expect(lastEvent()).toMatchObject({
        type: 'invoke',
        operation: 'inspect',
        lockId: 'a',
        flow: 'f0',
        process: 'w1.1',
      });
      return { state: 'free', waiters: 0 };
    });
    expect(result).toEqual({ state: 'free', waiters: 0 });
    expect(lastEvent()).toMatchObject({ type: 'ok', operation: 'inspect', result });
  });

  it.each([
    ['a lost lease', new LeaseLostError('a', 'expired'), { type: 'fail', code: 'lease-lost', reason: 'expired' }],
    ['an abort', new InterruptedError('aborted'), { type: 'fail', code: 'interrupted' }],
    [
      'no answer, and nothing done',
      new LockServiceError('away', { outcomeUnknown: false }),
      { type: 'fail', code: 'lock-service' },
    ],
    [
      'no answer, and perhaps done',
      new LockServiceError('away', { outcomeUnknown: true }),
      { type: 'unknown', code: 'lock-service' },
    ],
    ['a refusal', new OperationFailed({ failure: { code: 'refused' } }), { type: 'fail', code: 'refused' }],
    ['silence', new OperationFailed({ unknown: 'no-answer' }), { type: 'unknown', code: 'no-answer' }],
  ])('tells %s for what it is', async (_, error, told) => {
    expect(await failing(error)).toBeUndefined();
    expect(lastEvent()).toMatchObject(told);
  });

  it('lets through what the SDK never throws, so that the worker ends and the run finds it', async () => {
    await expect(failing(new TypeError('a fault of the SDK'))).rejects.toThrow('a fault of the SDK');
    expect(lastEvent()).toMatchObject({ type: 'invoke' });
  });
});
