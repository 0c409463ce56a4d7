import { ClockCheck } from '../../../../sdk/in-process/clock-check.ts';

// The server's clock, to the second.
const date = 'Fri, 15 Jan 2027 08:00:00 GMT';
const dateMs = Date.parse(date);

const reply = (sentMs: number, receivedMs: number) => ({
  sentMs: dateMs + sentMs,
  receivedMs: dateMs + receivedMs,
  date,
});

describe('a clock that is compared with the dates of replies', () => {
  let clock: ClockCheck;
  let monotonicMs: number;
  beforeEach(() => {
    monotonicMs = 0;
    clock = new ClockCheck(500, () => monotonicMs);
  });

  // A reply that took no time, of a server whose clock started at 0 together with the monotonic one.
  const learnAt = (serverMs: number, offsetMs: number, check = clock, hostMs = serverMs) => {
    monotonicMs = serverMs;
    const nowMs = dateMs + serverMs + offsetMs;
    check.learn({ sentMs: nowMs, receivedMs: nowMs, date: new Date(dateMs + hostMs).toUTCString() });
  };
  // At another part of each second.
  const moments = Array.from({ length: 300 }, (_, number) => number * 1_037);

  it('is right until a reply says otherwise', () => {
    expect(clock.isWrong).toBe(false);
    expect(clock.offsetMs).toBe(0);
  });

  // The server looked at its clock between the two, and its second may have been about to end.
  it.each([
    ['right to the millisecond', 0, 10, 0, false],
    ['right, the second nearly over', 990, 1_000, 0, false],
    ['not surely wrong, since the second may have been nearly over', 1_000, 1_010, 0, false],
    ['ahead within the tolerance', 1_500, 1_510, 500, false],
    ['ahead by more', 1_501, 1_510, 501, true],
    ['ahead by an hour', 3_601_000, 3_601_010, 3_600_000, true],
    ['not surely wrong, since the reply was long under way', 0, 9_000, 0, false],
    ['behind within the tolerance', -510, -500, -500, false],
    ['behind by more', -511, -501, -501, true],
    ['behind by an hour', -3_600_010, -3_600_000, -3_600_000, true],
    ['not surely wrong, since the request was long under way', -9_000, 0, 0, false],
  ])('is %s', (_, sentMs, receivedMs, offsetMs, isWrong) => {
    clock.learn(reply(sentMs, receivedMs));
    expect(clock.offsetMs).toBe(offsetMs);
    expect(clock.isWrong).toBe(isWrong);
  });

  it('is believed again when it is put right', () => {
    clock.learn(reply(60_000, 60_010));
    expect(clock.isWrong).toBe(true);
    clock.learn(reply(0, 10));
    expect(clock.isWrong).toBe(false);
  });

  it('that was put right is not found wrong again by a reply to what was sent before, which comes in late', () => {
    clock.learn(reply(60_000, 60_010));
    clock.learn(reply(0, 10));
    clock.learn(reply(60_005, 500));
    expect(clock.isWrong).toBe(false);
  });

  it.each([
    ['ahead', 550],
    ['ahead', 900],
    ['ahead', 1_490],
    ['behind', -550],
    ['behind', -900],
    ['behind', -1_490],
  ])('that was found to be %s, by %d ms, is not believed again because a reply cannot tell', (_, offsetMs) => {
    const alone = moments.map((serverMs) => {
      const check = new ClockCheck(500, () => monotonicMs);
      learnAt(serverMs, offsetMs, check);
      return check.isWrong;
    });
    expect(new Set(alone)).toEqual(new Set([true, false]));
    const together = moments.map((serverMs) => {
      learnAt(serverMs, offsetMs);
      return clock.isWrong;
    });
    expect(together.slice(0, together.indexOf(true))).not.toContain(true);
    expect(together.slice(together.indexOf(true))).not.toContain(false);
    expect(clock.offsetMs / offsetMs).toBeCloseTo(1, 1);
  });

  it.each([450, 0, -450])('that is %d ms off is never found wrong', (offsetMs) => {
    for (const serverMs of moments) {
      learnAt(serverMs, offsetMs);
      expect(clock.isWrong).toBe(false);
    }
  });

  it.each([900, 60_000, -900, -60_000])('that was %d ms off and is set right is believed at the next reply', (off) => {
    for (const part of [0, 250, 500, 750, 999]) {
      const check = new ClockCheck(500, () => monotonicMs);
      for (const serverMs of moments) learnAt(serverMs, off, check);
      expect(check.isWrong).toBe(true);
      learnAt(400_000 + part, 0, check);
      expect(check.isWrong).toBe(false);
    }
  });

  it('that is put right bit by bit is believed in the end', () => {
    const offsetAt = (serverMs: number) => Math.max(0, 900 - serverMs / 300);
    for (const serverMs of moments) learnAt(serverMs, offsetAt(serverMs));
    expect(clock.isWrong).toBe(false);
    expect(clock.offsetMs).toBeLessThan(100);
  });

  it('that agrees with a server that was set right is believed at once', () => {
    learnAt(500, 60_000);
    expect(clock.isWrong).toBe(true);
    const nowMs = dateMs + 60_600;
    monotonicMs = 600;
    clock.learn({ sentMs: nowMs, receivedMs: nowMs, date: new Date(nowMs).toUTCString() });
    expect(clock.isWrong).toBe(false);
  });

  it('stays as right or wrong as it was while the monotonic clock stood still', () => {
    for (const offsetMs of [0, 900]) {
      const check = new ClockCheck(500, () => monotonicMs);
      for (const serverMs of moments) learnAt(serverMs, offsetMs, check);
      // It wakes ten seconds later.
      const nowMs = dateMs + 400_300 + offsetMs;
      check.learn({ sentMs: nowMs, receivedMs: nowMs, date: new Date(dateMs + 400_300).toUTCString() });
      expect(check.isWrong).toBe(offsetMs > 0);
    }
  });

  it('stays wrong although the hosts of the server disagree a little', () => {
    for (const serverMs of moments) learnAt(serverMs, 800);
    for (const moment of moments) {
      const serverMs = 400_000 + moment;
      learnAt(serverMs, 800, clock, serverMs + (serverMs % 2 === 0 ? 0 : 100));
      expect(clock.isWrong).toBe(true);
    }
  });

  it.each([undefined, '', 'yesterday'])('learns nothing from the date %j', (unreadable) => {
    clock.learn(reply(60_000, 60_010));
    clock.learn({ ...reply(0, 10), date: unreadable });
    expect(clock.isWrong).toBe(true);
  });

  it('tells whoever listens at a reply that cannot tell because the clock was set', () => {
    const told = jest.fn();
    clock.onDoubt(told);
    clock.learn(reply(0, 10));
    clock.learn(reply(0, 30));
    expect(told).not.toHaveBeenCalled();
    clock.learn(reply(30, 60_000));
    expect(told).toHaveBeenCalledTimes(1);
    expect(clock.isWrong).toBe(false);
    clock.learn({ ...reply(60_000, 60_000), date: undefined });
    expect(told).toHaveBeenCalledTimes(1);
  });

  it('tells whoever listens at each reply that leaves it wrong', () => {
    const told = jest.fn();
    const unlisten = clock.onDoubt(told);
    clock.learn(reply(0, 10));
    expect(told).not.toHaveBeenCalled();
    clock.learn(reply(60_000, 60_010));
    clock.learn(reply(60_000, 60_010));
    expect(told).toHaveBeenCalledTimes(2);
    unlisten();
    clock.learn(reply(60_000, 60_010));
    expect(told).toHaveBeenCalledTimes(2);
  });
});
