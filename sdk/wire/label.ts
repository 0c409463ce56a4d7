const utf8 = new TextEncoder();

// Control characters, line and paragraph separators, and the marks that reorder text on a screen.
const unsafe = /[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;
const everyUnsafe = new RegExp(unsafe.source, 'gu');

/** Whether a text may be shown to people as it is: well-formed, within `maxBytes` of UTF-8, nothing that controls a terminal or reorders text. */
export function isLabel(text: string, maxBytes: number): boolean {
  return text.isWellFormed() && utf8.encode(text).length <= maxBytes && !unsafe.test(text);
}

/**
 * Escapes what would control a terminal or reorder text (`\u{1B}`), for output that people read.
 *
 * @example console.log(`waiting for ${displayText(lockId)}`);
 */
export function displayText(text: string): string {
  return text
    .toWellFormed()
    .replace(everyUnsafe, (character) => `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`);
}
