import { exchange, historyOf, processStart, type Told } from '../told.ts';
import { repeatedRequests } from './repeated-requests.ts';

const messages = (...parts: Told[]) => repeatedRequests.check(historyOf(...parts)).findings.map((each) => each.message);
const granted = (fencingToken: number) => ({ kind: 'granted', fencingToken, isProvisional: false }) as const;

describe('repeated requests', () => {
  it('accepts replies that tell of one grant, its end, and the end again', () => {
    const history = historyOf(
      exchange('alice', 10, granted(7)),
      exchange('alice', 11, granted(7), { copyOf: 'alice 10' }),
      exchange('alice', 500, granted(7), { operation: 'renew' }),
      exchange('alice', 900, { kind: 'released' }, { operation: 'release' }),
      exchange('alice', 901, { kind: 'released' }, { operation: 'release' }),
      exchange('alice', 950, { kind: 'lost', reason: 'superseded' }, { operation: 'release' }),
      exchange('bob', 960, granted(8)),
    );
    const figures = [{ name: 'requests that a proxy sent once more', value: '1' }];
    expect(repeatedRequests.check(history)).toEqual({ checked: 7, findings: [], figures });
  });

  it('finds two grants of one owner token with nobody between, within one lease', () => {
    expect(messages(exchange('alice', 10, granted(7)), exchange('alice', 1_500, granted(8)))).toEqual([
      'one owner token was granted 7 and 8 within one lease',
    ]);
  });

  it('accepts a late repeat that finds the lease over, or others served since', () => {
    expect(messages(exchange('alice', 10, granted(7)), exchange('alice', 2_009, granted(8)))).toEqual([]);
    expect(messages(exchange('alice', 10, granted(7)), exchange('alice', 2_008, granted(8)))).toHaveLength(1);
    expect(messages(exchange('alice', 10, granted(7)), exchange('alice', 500, granted(9)))).toEqual([]);
    const clocks = [processStart('api1', 'service', 0), processStart('api2', 'service', 501)];
    expect(messages(clocks, exchange('alice', 10, granted(7)), exchange('alice', 500, granted(8)))).toEqual([]);
  });

  it('finds one fencing token of two owner tokens, also where one is an heir', () => {
    expect(messages(exchange('alice', 10, granted(7)), exchange('bob', 500, granted(7)))).toHaveLength(1);
    const heir = { operation: 'release', heir: 'carol' } as const;
    const passedOn = exchange('alice', 400, { kind: 'released', heirFencingToken: 8 }, heir);
    expect(messages(exchange('alice', 10, granted(7)), passedOn, exchange('carol', 500, granted(8)))).toEqual([]);
    expect(messages(exchange('alice', 10, granted(7)), passedOn, exchange('dave', 500, granted(8)))).toHaveLength(1);
  });

  it('finds that an older grant comes back after a newer one, if the replies were not under way together', () => {
    const newer = exchange('alice', 5_000, granted(9));
    expect(messages(exchange('alice', 10, granted(7)), newer, exchange('alice', 5_002, granted(7)))).toHaveLength(1);
    const together = exchange('alice', 5_002, granted(7), { sentMs: 4_000 });
    expect(messages(exchange('alice', 10, granted(7)), newer, together)).toEqual([]);
  });

  it.each([{ kind: 'released' }, { kind: 'lost', reason: 'superseded' }] as const)(
    'finds that a grant is there again after $kind',
    (end) => {
      const story = [exchange('alice', 10, granted(7)), exchange('alice', 100, end, { operation: 'release' })];
      expect(messages(story, exchange('alice', 200, granted(7)))).toEqual([
        `the grant 7 was there again after the reply "${end.kind}"`,
      ]);
      // Under way together, or another grant: no contradiction.
      expect(messages(story, exchange('alice', 200, granted(7), { sentMs: 99 }))).toEqual([]);
      expect(messages(story, exchange('alice', 200, granted(9)))).toEqual([]);
    },
  );

  it('accepts a grant after a place in line was given up', () => {
    expect(messages(exchange('alice', 100, { kind: 'released' }), exchange('alice', 200, granted(7)))).toEqual([]);
  });

  it('keeps locks apart', () => {
    expect(messages(exchange('alice', 10, granted(7)), exchange('bob', 20, granted(7), { lockId: 'b' }))).toEqual([]);
  });
});
