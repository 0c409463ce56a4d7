import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testKeyPair } from '../../lambda/local/test-key-pair.ts';
import { type LocalStackProcess, startLocalStack } from '../support/local-stack.ts';
import { endAll, runtimes } from './runtimes.ts';

describe('the http SDK in one file', () => {
  let stack: LocalStackProcess;
  let folder: string;
  beforeAll(async () => {
    stack = await startLocalStack({ args: ['--auth', 'iam'] });
    folder = await mkdtemp(join(tmpdir(), 'holdfast-runtimes-'));
  });
  afterAll(async () => {
    await endAll();
    await rm(folder, { recursive: true });
  });

  it.each(runtimes)('works on $name: locks, waits, scopes, renewals, losses, signatures', async ({ tell }) => {
    const options = { url: stack.url, region: 'eu-central-1', credentials: testKeyPair };
    expect(await tell(folder, options)).toEqual([
      'a lock excludes another factory',
      'it is handed to who waited',
      'a timed try ends',
      'a wait is interrupted',
      'scopes follow one another',
      'a lease renews itself',
      'a loss aborts the signal',
      'nothing is held at the end',
    ]);
  });

  it('fails where the story is not so', async () => {
    const [node] = runtimes;
    const credentials = { ...testKeyPair, secretAccessKey: 'another' };
    await expect(node?.tell(folder, { url: stack.url, region: 'eu-central-1', credentials })).rejects.toThrow(
      'the lock service refuses this caller',
    );
  });
});
