/** Runs `promise` while jest's fake time goes on, at most `withinMs` of it, and gives what it gives. */
export async function inFakeTime<T>(promise: Promise<T>, withinMs = 120_000): Promise<T> {
  let settled = false;
  const mark = () => {
    settled = true;
  };
  promise.then(mark, mark);
  for (let passedMs = 0; !settled && passedMs <= withinMs; passedMs += 10) await jest.advanceTimersByTimeAsync(10);
  if (!settled) throw new Error(`still pending after ${withinMs} ms of fake time`);
  return promise;
}
