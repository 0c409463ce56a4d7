import fc from 'fast-check';
import { limits } from '../../../../sdk/wire/limits.ts';
import { decodeLockId, encodeLockId, lockIdFault } from '../../../../sdk/wire/lock-id.ts';
import { hostileLockIds } from '../../../support/hostile-lock-ids.ts';

const lockId = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 300 })
  .filter((text) => lockIdFault(text) === undefined);

describe('lock id', () => {
  it.each([
    ['a', 'a'],
    ['orders-42', 'orders-42'],
    ['A.b_c-9', 'A.b_c-9'],
    ['a/1', 'a~2F1'],
    ['a b', 'a~20b'],
    ['~', '~7E'],
    ['%2F', '~252F'],
    ['é', '~C3~A9'],
    ['🔒', '~F0~9F~94~92'],
    ['\uFEFFa', '~EF~BB~BFa'],
    ['\0', '~00'],
    ['.', '~2E'],
    ['..', '~2E~2E'],
    ['...', '~2E~2E~2E'],
    ['.a', '.a'],
    ['a..', 'a..'],
    ['../a', '..~2Fa'],
  ])('%j is spelled %s', (id, segment) => {
    expect(encodeLockId(id)).toBe(segment);
    expect(decodeLockId(segment)).toBe(id);
  });

  it('comes back unchanged from its spelling, whatever text it is', () => {
    fc.assert(fc.property(lockId, (id) => expect(decodeLockId(encodeLockId(id))).toBe(id)));
    for (const id of hostileLockIds) expect(decodeLockId(encodeLockId(id))).toBe(id);
  });

  it('is spelled in unreserved characters only, and never as a relative path', () => {
    fc.assert(
      fc.property(lockId, (id) => {
        expect(encodeLockId(id)).toMatch(/^[A-Za-z0-9._~-]+$/);
        expect(encodeLockId(id)).not.toMatch(/^\.+$/);
        expect(new URL(`http://host/${encodeLockId(id)}/try`).pathname).toBe(`/${encodeLockId(id)}/try`);
        expect(decodeURIComponent(encodeLockId(id))).toBe(encodeLockId(id));
      }),
    );
  });

  it('has one spelling: whatever can be read is spelled so, and no two ids alike', () => {
    const almost = fc.array(
      fc.constantFrom('a', '.', '~', '2', 'E', 'C3', '~C3', '~A9', '~2E', '~41', '~ff', '%', '/'),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(almost, (parts) => {
        const segment = parts.join('');
        const id = decodeLockId(segment);
        if (id !== undefined) expect(encodeLockId(id)).toBe(segment);
      }),
      { numRuns: 2_000 },
    );
    const spellings = hostileLockIds.map(encodeLockId);
    expect(new Set(spellings).size).toBe(hostileLockIds.length);
  });

  it('is read from arbitrary bytes only where they are a lock id in its one spelling', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      fc.string({ unit: 'binary', maxLength: 10 }).map((text) => new TextEncoder().encode(text)),
    );
    // Every byte escaped, or just those that must be.
    const spellings = fc.tuple(bytes, fc.boolean()).map(([all, lazily]) =>
      [...all]
        .map((byte) => {
          const character = String.fromCharCode(byte);
          return lazily && /[A-Za-z0-9._-]/.test(character)
            ? character
            : `~${byte.toString(16).toUpperCase().padStart(2, '0')}`;
        })
        .join(''),
    );
    const read = new Map<string, string>();
    fc.assert(
      fc.property(spellings, (segment) => {
        const id = decodeLockId(segment);
        if (id === undefined) return;
        expect(encodeLockId(id)).toBe(segment);
        expect(lockIdFault(id)).toBeUndefined();
        expect(read.get(id) ?? segment).toBe(segment);
        read.set(id, segment);
      }),
      { numRuns: 3_000 },
    );
    expect(read.size).toBeGreaterThan(300);
  });

  it.each([
    ['empty', ''],
    ['an escaped ordinary letter', '~61'],
    ['an escaped ordinary digit', 'a~31'],
    ['an escaped dot beside other characters', 'a~2E'],
    ['a dot as it is', '.'],
    ['dots as they are', '..'],
    ['one dot escaped of two', '.~2E'],
    ['lower-case hexadecimal', 'a~2f1'],
    ['mixed-case hexadecimal', '~c3~A9'],
    ['one hexadecimal digit', 'a~2'],
    ['no hexadecimal digit', 'a~'],
    ['not hexadecimal', '~GG'],
    ['a tilde as it is', 'a~b'],
    ['percent', 'a%2F1'],
    ['a slash', 'a/1'],
    ['a space', 'a b'],
    ['a plus', 'a+b'],
    ['a letter outside ASCII', 'é'],
    ['a line break at the end', 'a\n'],
    ['half a character', '~C3'],
    ['a stray continuation byte', '~A9'],
    ['an overlong slash', '~C0~AF'],
    ['an overlong NUL', '~C0~80'],
    ['a surrogate', '~ED~A0~80'],
    ['beyond Unicode', '~F4~90~80~80'],
    ['a byte that UTF-8 never has', '~FF'],
    ['513 bytes', 'a'.repeat(513)],
    ['513 bytes, escaped', `${'~C3~A9'.repeat(256)}a`],
  ])('refuses a segment that is not canonical: %s', (_, segment) => {
    expect(decodeLockId(segment)).toBeUndefined();
  });

  it('reads each single byte only where it is a character of its own, spelled as it must be', () => {
    for (let byte = 0; byte < 256; byte++) {
      const escaped = `a~${byte.toString(16).toUpperCase().padStart(2, '0')}`;
      const character = String.fromCharCode(byte);
      const isOwnCharacter = byte < 0x80;
      const isPlain = /[A-Za-z0-9._-]/.test(character);
      expect(decodeLockId(escaped)).toBe(isOwnCharacter && !isPlain ? `a${character}` : undefined);
      expect(decodeLockId(`a${character}`)).toBe(isPlain ? `a${character}` : undefined);
    }
  });

  it.each([
    ['a', 1],
    ['x'.repeat(512), 512],
    ['é'.repeat(256), 512],
    ['🔒'.repeat(128), 512],
  ])('may have up to 512 bytes of UTF-8', (id, bytes) => {
    expect(Buffer.byteLength(id)).toBe(bytes);
    expect(lockIdFault(id)).toBeUndefined();
    expect(decodeLockId(encodeLockId(id))).toBe(id);
  });

  it.each([
    ['', 'got empty text'],
    ['x'.repeat(513), 'got 513 bytes'],
    ['é'.repeat(257), 'got 514 bytes'],
    ['🔒'.repeat(129), 'got 516 bytes'],
    ['a\uD800', 'got text with a lone surrogate'],
    ['\uDC00a', 'got text with a lone surrogate'],
    [null, 'got null'],
    [undefined, 'got undefined'],
    [42, 'got number'],
    [{}, 'got object'],
    [['a'], 'got object'],
  ])('says what is wrong with %j', (id, got) => {
    expect(lockIdFault(id)).toBe(`must be well-formed text of 1 to ${limits.lockIdBytes} UTF-8 bytes, ${got}`);
  });

  it('is never trimmed or normalised', () => {
    for (const id of [' a', 'a ', 'e\u0301', 'é', 'A', 'a']) expect(decodeLockId(encodeLockId(id))).toBe(id);
    expect(encodeLockId('e\u0301')).not.toBe(encodeLockId('é'));
  });
});
