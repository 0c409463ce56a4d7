import { type LockEvent, LockFactory } from '../../sdk/index.ts';

export interface StoryOptions {
  readonly url: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/**
 * Uses every part of the SDK that depends on the runtime: requests, signatures, timers, signals, clocks, random numbers.
 * It names nothing that only some runtimes have.
 *
 * @returns what was seen to work, in order
 * @throws Error at the first thing that does not
 */
export async function story(options: StoryOptions): Promise<string[]> {
  const seen: string[] = [];
  const see = (what: string, isSo: boolean) => {
    if (!isSo) throw new Error(`not so: ${what} (after: ${seen.join('; ') || 'nothing'})`);
    seen.push(what);
  };
  let renewed = (_: LockEvent) => {};
  const onEvent = (event: LockEvent) => {
    if (event.type === 'renewed') renewed(event);
  };
  const here = LockFactory.connect({ ...options, onEvent });
  const there = LockFactory.connect({ ...options, holder: 'there' });

  const [mine, theirs] = [here.createLock('a lock/ä'), there.createLock('a lock/ä')];
  await mine.lock();
  see('a lock excludes another factory', !(await theirs.tryLock()));
  const coming = theirs.lock();
  await mine.unlock();
  await coming;
  see('it is handed to who waited', theirs.isHeld && !(await mine.tryLock()));
  see('a timed try ends', !(await mine.tryLock(100)));
  const interruption = new AbortController();
  const interrupted = mine.lockInterruptibly(interruption.signal).catch(({ code }: { code: string }) => code);
  interruption.abort();
  see('a wait is interrupted', (await interrupted) === 'interrupted');
  await theirs.unlock();

  const fences = [0, 1].map(() => here.withLock('scoped', ({ fencingToken }) => Promise.resolve(fencingToken)));
  see('scopes follow one another', new Set(await Promise.all(fences)).size === 2);

  const renewal = new Promise<LockEvent>((resolve) => {
    renewed = resolve;
  });
  const lease = await here.createLock('renewed').acquire({ leaseMs: 3_000 });
  see('a lease renews itself', (await renewal).lockId === 'renewed' && lease.isHeld);
  const lost = new Promise((resolve) => lease.signal.addEventListener('abort', resolve, { once: true }));
  await there.break('renewed', { fencingToken: lease.fencingToken });
  await lost;
  see('a loss aborts the signal', lease.signal.reason.reason === 'broken' && !lease.isHeld);

  await Promise.all([here.dispose(), there.dispose()]);
  see('nothing is held at the end', (await there.inspect('scoped')).state === 'free');
  return seen;
}
