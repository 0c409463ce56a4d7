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
  beforeEach(() => {
    clock = new ClockCheck(500);
  });

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

  it.each([undefined, '', 'yesterday'])('learns nothing from the date %j', (unreadable) => {
    clock.learn(reply(60_000, 60_010));
    clock.learn({ ...reply(0, 10), date: unreadable });
    expect(clock.isWrong).toBe(true);
  });

  it('tells whoever listens at each reply that shows it to be wrong', () => {
    const told = jest.fn();
    const unlisten = clock.onWrong(told);
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
