import { testKeyPair } from '../../lambda/local/test-key-pair.ts';
import { ForbiddenError, LockFactory } from '../../sdk/index.ts';
import { hostileLockIds } from '../support/hostile-lock-ids.ts';
import { type LocalStackProcess, startLocalStack } from '../support/local-stack.ts';

let stack: LocalStackProcess;

beforeAll(async () => {
  stack = await startLocalStack({ args: ['--auth', 'iam'] });
});

afterAll(() => stack.stop());

it('a signed SDK locks and unlocks every kind of id', async () => {
  const locks = LockFactory.connect({ url: stack.url, credentials: testKeyPair });
  const handles = hostileLockIds.map((lockId) => locks.createLock(lockId));
  // All at once: were two ids one lock, one of them would be refused.
  expect(await Promise.all(handles.map((lock) => lock.tryLock()))).toEqual(handles.map(() => true));
  expect(await Promise.all(hostileLockIds.map((lockId) => locks.createLock(lockId).tryLock()))).toEqual(
    handles.map(() => false),
  );
  await Promise.all(handles.map((lock) => lock.unlock()));
});

it.each([
  ['without credentials', undefined],
  ['with a wrong secret', { ...testKeyPair, secretAccessKey: 'wrong' }],
  ['with a key that is unknown', { ...testKeyPair, accessKeyId: 'AKIDUNKNOWN' }],
])('an SDK %s is refused at once with ForbiddenError', async (_name, credentials) => {
  const locks = LockFactory.connect({ url: stack.url, ...(credentials && { credentials }) });
  await expect(locks.createLock('refused').lock()).rejects.toBeInstanceOf(ForbiddenError);
});
