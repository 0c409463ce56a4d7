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

  it.each([
    ['ahead', 550],
    ['ahead', 900],
    ['ahead', 1_499],
    ['behind', -550],
    ['behind', -900],
    ['behind', -1_499],
  ])('that was found to be %s by %d ms is not believed again because a reply cannot tell', (_, offsetMs) => {
    // Replies of the same server, at each millisecond of its second.
    const replies = Array.from({ length: 1_000 }, (_each, phaseMs) => reply(phaseMs + offsetMs, phaseMs + offsetMs));
    const shown = replies.filter((each) => {
      const alone = new ClockCheck(500);
      alone.learn(each);
      return alone.isWrong;
    });
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.length).toBeLessThan(1_000);
    for (const each of [...shown, ...replies]) {
      clock.learn(each);
      expect(clock.isWrong).toBe(true);
    }
  });

  it.each([
    ['ahead', 60_000, reply(501, 510), reply(400, 500)],
    ['behind', -60_000, reply(490, 499), reply(500, 600)],
  ])(
    'that was %s is believed again by the first reply that shows it to be within the tolerance',
    (_, off, not, yes) => {
      clock.learn(reply(off, off));
      clock.learn(not);
      expect(clock.isWrong).toBe(true);
      clock.learn(yes);
      expect(clock.isWrong).toBe(false);
      expect(clock.offsetMs).toBe(0);
    },
  );

  it('that was put so that it is wrong the other way is wrong by the last reply', () => {
    clock.learn(reply(60_000, 60_010));
    clock.learn(reply(-60_010, -60_000));
    expect(clock.offsetMs).toBe(-60_000);
    clock.learn(reply(501, 510));
    expect(clock.isWrong).toBe(false);
  });

  it.each([undefined, '', 'yesterday'])('learns nothing from the date %j', (unreadable) => {
    clock.learn(reply(60_000, 60_010));
    clock.learn({ ...reply(0, 10), date: unreadable });
    expect(clock.isWrong).toBe(true);
  });

  it('tells whoever listens at each reply that leaves it wrong', () => {
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
