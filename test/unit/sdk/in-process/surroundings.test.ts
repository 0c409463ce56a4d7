import { processSurroundings } from '../../../../sdk/in-process/surroundings.ts';

describe('a sleep', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  async function endsAfter(sleep: Promise<void>): Promise<number> {
    const startedAt = Date.now();
    let endedAt: number | undefined;
    void sleep.then(() => {
      endedAt = Date.now();
    });
    for (let ms = 0; endedAt === undefined && ms < 1_000; ms++) await jest.advanceTimersByTimeAsync(1);
    return (endedAt ?? Number.NaN) - startedAt;
  }

  it('lasts as long as it is told, and leaves no timer', async () => {
    expect(await endsAfter(processSurroundings.sleep(100))).toBe(100);
    expect(await endsAfter(processSurroundings.sleep(100, new AbortController().signal))).toBe(100);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('ends as soon as its signal aborts, and leaves no timer', async () => {
    const abort = new AbortController();
    const sleep = processSurroundings.sleep(100, abort.signal);
    setTimeout(() => abort.abort(), 40);
    expect(await endsAfter(sleep)).toBe(40);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('does not begin under a signal that is aborted already', async () => {
    await processSurroundings.sleep(100, AbortSignal.abort());
    expect(jest.getTimerCount()).toBe(0);
  });

  it('leaves no listener on its signal, however many there were', async () => {
    const { signal } = new AbortController();
    const added = jest.spyOn(signal, 'addEventListener');
    const removed = jest.spyOn(signal, 'removeEventListener');
    for (let time = 0; time < 20; time++) await endsAfter(processSurroundings.sleep(5, signal));
    expect(added).toHaveBeenCalledTimes(20);
    expect(removed).toHaveBeenCalledTimes(20);
  });
});

describe('the clock', () => {
  afterEach(() => jest.useRealTimers());

  it('is the one of the moment in which it is asked, a fake one too', () => {
    jest.useFakeTimers({ now: 1_800_000_000_000 });
    expect(processSurroundings.now()).toBe(1_800_000_000_000);
    jest.setSystemTime(5);
    expect(processSurroundings.now()).toBe(5);
  });
});
