import { indexedHistory } from './indexed-history.ts';
import { ownerHash } from './owner-hash.ts';
import { readHistory } from './read-history.ts';
import { bounds, mark } from './told.ts';

const run = JSON.stringify({ type: 'run', atMs: 10, process: 'run', ...bounds });
const line = (atMs: number, op: string) => JSON.stringify({ type: 'waiting', atMs, process: 'w1', op });

describe('reading a history', () => {
  it('puts the events of several processes in the order of time, the run first', () => {
    const events = readHistory([line(30, 'c'), line(5, 'a'), run, line(20, 'b'), ''].join('\n'));
    expect(events.map((event) => ('op' in event ? event.op : event.type))).toEqual(['run', 'a', 'b', 'c']);
  });

  it('leaves events of the same time in the order in which they were written', () => {
    const events = readHistory([run, line(20, 'b'), line(20, 'c'), line(20, 'a')].join('\n'));
    expect(events.slice(1).map((event) => ('op' in event ? event.op : ''))).toEqual(['b', 'c', 'a']);
  });

  it.each([
    '{"type":"waiting","atMs":5',
    'null',
    '7',
    '{"atMs":5,"process":"w1"}',
    '{"type":"waiting","process":"w1"}',
  ])('refuses %s, and names the line', (wrong) => {
    const shown = `line 2 of the history is no event, which is a JSON object with type, atMs and process: ${wrong}`;
    expect(() => readHistory(`${run}\n${wrong}`)).toThrow(shown);
  });

  it('needs the run', () => {
    expect(() => indexedHistory([mark('end', 5)])).toThrow('a history begins with a "run" event, got mark');
    expect(() => indexedHistory([])).toThrow('got nothing');
  });
});

describe('the hash of an owner token', () => {
  it('is the same for the same token, another for another, and shows nothing of it', () => {
    const token = 'abcdefghijklmnopqrstuv';
    expect(ownerHash(token)).toBe(ownerHash(token));
    expect(ownerHash(token)).not.toBe(ownerHash(`${token}w`));
    expect(ownerHash(token)).not.toContain(token.slice(0, 6));
  });
});
