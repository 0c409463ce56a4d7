import { Turns } from '../../../sdk/turns.ts';

/** A run that ends when the test says so. */
function run() {
  let end: () => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  const begun = jest.fn(() => ended);
  return { begun, end, fail };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('turns', () => {
  it('let so many run at once, from the call on, and the next when one has ended', async () => {
    const turns = new Turns(2);
    const runs = [run(), run(), run(), run()];
    const taken = runs.map(({ begun }) => turns.take(begun));
    const begun = () => runs.map((each) => each.begun.mock.calls.length);
    expect(begun()).toEqual([1, 1, 0, 0]);
    runs[1]?.end();
    await settled();
    expect(begun()).toEqual([1, 1, 1, 0]);
    runs[2]?.end();
    await settled();
    expect(begun()).toEqual([1, 1, 1, 1]);
    for (const { end } of runs) end();
    await Promise.all(taken);
  });

  it('go on when one fails, and give its failure', async () => {
    const turns = new Turns(1);
    const [first, second] = [run(), run()];
    const failing = expect(turns.take(first.begun)).rejects.toThrow('as the test wants it');
    const next = turns.take(second.begun);
    first.fail(new Error('as the test wants it'));
    await failing;
    await settled();
    expect(second.begun).toHaveBeenCalled();
    second.end();
    await next;
  });

  it('are waited for no longer than is said, and then done without', async () => {
    jest.useFakeTimers();
    const turns = new Turns(1);
    const [first, late, next] = [run(), run(), run()];
    const taken = [turns.take(first.begun), turns.take(late.begun, 100), turns.take(next.begun, 1_000)];
    await jest.advanceTimersByTimeAsync(99);
    expect(late.begun).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(late.begun).toHaveBeenCalled();
    // It had no turn to pass on.
    late.end();
    await jest.advanceTimersByTimeAsync(1);
    expect(next.begun).not.toHaveBeenCalled();
    first.end();
    await jest.advanceTimersByTimeAsync(1);
    expect(next.begun).toHaveBeenCalled();
    next.end();
    await Promise.all(taken);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('are given on after a second, whether there is an answer or not', async () => {
    jest.useFakeTimers();
    const turns = new Turns(1);
    const [hanging, next, last] = [run(), run(), run()];
    const taken = [hanging, next, last].map(({ begun }) => turns.take(begun));
    await jest.advanceTimersByTimeAsync(999);
    expect(next.begun).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(next.begun).toHaveBeenCalled();
    // It gave its turn on before, so this frees none.
    hanging.end();
    await jest.advanceTimersByTimeAsync(1);
    expect(last.begun).not.toHaveBeenCalled();
    next.end();
    await jest.advanceTimersByTimeAsync(1);
    expect(last.begun).toHaveBeenCalled();
    last.end();
    await Promise.all(taken);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('that were all given back are free again', async () => {
    const turns = new Turns(1);
    for (let at = 0; at < 3; at++) expect(await turns.take(async () => at)).toBe(at);
    const last = run();
    void turns.take(last.begun);
    expect(last.begun).toHaveBeenCalled();
    last.end();
  });
});
