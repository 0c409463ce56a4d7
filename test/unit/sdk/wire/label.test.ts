import fc from 'fast-check';
import { displayText, isLabel } from '../../../../sdk/wire/label.ts';

const unsafe: [string, string][] = [
  ['NUL', '\0'],
  ['escape', '\x1B'],
  ['line feed', '\n'],
  ['carriage return', '\r'],
  ['tab', '\t'],
  ['delete', '\x7F'],
  ['C1 control', '\x9B'],
  ['line separator', '\u2028'],
  ['paragraph separator', '\u2029'],
  ['Arabic letter mark', '\u061C'],
  ['left-to-right mark', '\u200E'],
  ['right-to-left mark', '\u200F'],
  ['left-to-right embedding', '\u202A'],
  ['pop directional formatting', '\u202C'],
  ['right-to-left override', '\u202E'],
  ['left-to-right isolate', '\u2066'],
  ['pop directional isolate', '\u2069'],
];

describe('label', () => {
  it.each(['a', 'host-a (job 7)', 'Größe', '🔒', 'שלום', '', 'a\u00A0b', '\u2027', '\u202F', '\u2065', '\u206A'])(
    'allows %j',
    (text) => {
      expect(isLabel(text, 256)).toBe(true);
    },
  );

  it.each(unsafe)('refuses what controls a terminal or reorders text: %s', (_, character) => {
    expect(isLabel(`a${character}b`, 256)).toBe(false);
    expect(isLabel(character, 256)).toBe(false);
  });

  it('refuses lone surrogates', () => {
    expect(isLabel('a\uD800', 256)).toBe(false);
    expect(isLabel('🔒', 256)).toBe(true);
  });

  it('counts bytes, not characters', () => {
    expect(isLabel('x'.repeat(256), 256)).toBe(true);
    expect(isLabel('x'.repeat(257), 256)).toBe(false);
    expect(isLabel('é'.repeat(128), 256)).toBe(true);
    expect(isLabel(`${'é'.repeat(128)}x`, 256)).toBe(false);
    expect(isLabel('🔒'.repeat(64), 256)).toBe(true);
    expect(isLabel('🔒'.repeat(65), 256)).toBe(false);
  });
});

describe('text for people', () => {
  it.each([
    ['a\x1B[31mb', 'a\\u{1B}[31mb'],
    ['a\nb', 'a\\u{A}b'],
    ['a\u202Eb\u202Ec', 'a\\u{202E}b\\u{202E}c'],
    ['plain, Größe 🔒', 'plain, Größe 🔒'],
    ['a\uD800', 'a\uFFFD'],
  ])('shows %j as %j', (text, shown) => {
    expect(displayText(text)).toBe(shown);
  });

  it('is always fit to be shown, and unchanged where it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
        expect(isLabel(displayText(text), 10_000)).toBe(true);
        if (isLabel(text, 10_000)) expect(displayText(text)).toBe(text);
      }),
    );
    for (const [, character] of unsafe) expect(isLabel(displayText(character), 100)).toBe(true);
  });
});
