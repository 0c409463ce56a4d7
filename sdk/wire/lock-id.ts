import { limits } from './limits.ts';

const utf8 = new TextEncoder();
// ignoreBOM keeps a leading U+FEFF: it is part of the id like any other character.
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const segmentPattern = /^(?:[A-Za-z0-9._-]|~[0-9A-F]{2})+$/;
const dotsOnly = /^\.+$/;
const unescaped = /[A-Za-z0-9._-]/;

/**
 * Says what is wrong with a lock id, or nothing when it is fine.
 *
 * A lock id is any well-formed Unicode text of 1 to 512 UTF-8 bytes. It is opaque: never trimmed, never normalised.
 */
export function lockIdFault(lockId: unknown): string | undefined {
  const rule = `must be well-formed text of 1 to ${limits.lockIdBytes} UTF-8 bytes`;
  if (typeof lockId !== 'string') return `${rule}, got ${lockId === null ? 'null' : typeof lockId}`;
  if (!lockId.isWellFormed()) return `${rule}, got text with a lone surrogate`;
  const bytes = utf8.encode(lockId).length;
  if (bytes === 0) return `${rule}, got empty text`;
  if (bytes > limits.lockIdBytes) return `${rule}, got ${bytes} bytes`;
  return undefined;
}

/**
 * Spells a lock id as one path segment of RFC 3986 unreserved characters.
 *
 * Every UTF-8 byte outside `A-Za-z0-9._-` becomes `~XX`, and so do the dots of an id that has nothing else (`.` and
 * `..` would be resolved away). The API gateway decodes percent escapes before the function sees the path, but no
 * signer, decoder or normaliser touches `~`.
 *
 * @param lockId a valid lock id, see {@link lockIdFault}
 */
export function encodeLockId(lockId: string): string {
  if (dotsOnly.test(lockId)) return '~2E'.repeat(lockId.length);
  let segment = '';
  for (const byte of utf8.encode(lockId)) {
    const character = String.fromCharCode(byte);
    segment += unescaped.test(character) ? character : `~${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return segment;
}

/**
 * Reads a path segment back into the lock id, or gives `undefined` unless the segment is the one canonical spelling of
 * a valid lock id. Two spellings of one id would be two resources to whoever grants rights by path.
 */
export function decodeLockId(segment: string): string | undefined {
  if (!segmentPattern.test(segment)) return undefined;
  const bytes: number[] = [];
  for (let at = 0; at < segment.length; at++) {
    if (segment[at] === '~') {
      bytes.push(Number.parseInt(segment.slice(at + 1, at + 3), 16));
      at += 2;
    } else {
      bytes.push(segment.charCodeAt(at));
    }
  }
  let lockId: string;
  try {
    lockId = strictUtf8.decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
  return lockIdFault(lockId) === undefined && encodeLockId(lockId) === segment ? lockId : undefined;
}
