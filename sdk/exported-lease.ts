import { IllegalArgumentError } from './errors.ts';
import { checkLockId, checkOptions, holdRules } from './options.ts';
import { fromBase64Url, toBase64Url } from './wire/base64url.ts';
import { ownerTokenForm } from './wire/owner-token.ts';

/** What another process needs to go on with a lease. */
export interface ExportedLease {
  readonly lockId: string;
  readonly ownerToken: string;
  readonly leaseMs: number;
  readonly holder: string | undefined;
  readonly fencingToken: number;
  /** When it is over unless it is renewed, epoch milliseconds of the exporter's clock. */
  readonly deadlineMs: number;
}

const form = 'holdfast-lease.1.';
const checksumLength = 7;

/** A lease as text of `A-Za-z0-9._-`, a checksum at its end. It holds the owner token: a secret. */
export function leaseText({ lockId, ownerToken, leaseMs, holder, fencingToken, deadlineMs }: ExportedLease): string {
  const fields = [lockId, ownerToken, leaseMs, deadlineMs, fencingToken, ...(holder === undefined ? [] : [holder])];
  const text = toBase64Url(new TextEncoder().encode(JSON.stringify(fields)));
  return form + text + checksum(text);
}

/** @throws IllegalArgumentError for a text that no export gave; the error does not show it, for it may hold a secret */
export function leaseOf(text: unknown): ExportedLease {
  const lease = typeof text === 'string' && text.startsWith(form) ? parsed(text.slice(form.length)) : undefined;
  if (lease) return lease;
  throw new IllegalArgumentError(
    `needed is the text that lease.export() gave, got ${typeof text === 'string' ? 'another text' : text === null ? 'null' : typeof text}`,
  );
}

function parsed(checked: string): ExportedLease | undefined {
  try {
    const base64Url = checked.slice(0, -checksumLength);
    if (checked !== base64Url + checksum(base64Url)) return undefined;
    const fields: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(fromBase64Url(base64Url)));
    if (!Array.isArray(fields)) return undefined;
    const [lockId, ownerToken, leaseMs, deadlineMs, fencingToken, holder] = fields;
    checkLockId(lockId);
    checkOptions({ leaseMs, holder }, holdRules);
    const isLease =
      typeof ownerToken === 'string' &&
      ownerTokenForm.test(ownerToken) &&
      Number.isFinite(deadlineMs) &&
      Number.isSafeInteger(fencingToken) &&
      fencingToken >= 1;
    return isLease ? { lockId, ownerToken, leaseMs, deadlineMs, fencingToken, holder } : undefined;
  } catch {
    return undefined;
  }
}

// FNV-1a of 32 bits: one character that is changed always shows, whatever else is one time in four billion not seen. The
// digests of the runtimes are asynchronous.
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36).padStart(checksumLength, '0');
}
