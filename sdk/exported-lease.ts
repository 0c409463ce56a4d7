import { IllegalArgumentError } from './errors.ts';
import { isLabel } from './wire/label.ts';
import { limits } from './wire/limits.ts';
import { lockIdFault } from './wire/lock-id.ts';

/** What another process needs to go on with a lease. */
export interface ExportedLease {
  readonly lockId: string;
  readonly ownerToken: string;
  readonly leaseMs: number;
  readonly holder: string | undefined;
  /** When it is over unless it is renewed, epoch milliseconds of the exporter's clock. */
  readonly deadlineMs: number;
}

const form = 'holdfast-lease.1.';

/** A lease as text of `A-Za-z0-9._-`. It holds the owner token: a secret. */
export function leaseText({ lockId, ownerToken, leaseMs, holder, deadlineMs }: ExportedLease): string {
  const bytes = new TextEncoder().encode(
    JSON.stringify([lockId, ownerToken, leaseMs, deadlineMs, ...(holder === undefined ? [] : [holder])]),
  );
  const base64 = btoa(String.fromCharCode(...bytes));
  return form + base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** @throws IllegalArgumentError for a text that no export gave; the error does not show it, for it may hold a secret */
export function leaseOf(text: unknown): ExportedLease {
  const lease = typeof text === 'string' && text.startsWith(form) ? parsed(text.slice(form.length)) : undefined;
  if (lease) return lease;
  throw new IllegalArgumentError(
    `adopt needs the text that lease.export() gave, got ${typeof text === 'string' ? 'another text' : typeof text}`,
  );
}

function parsed(base64Url: string): ExportedLease | undefined {
  try {
    const binary = atob(base64Url.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const fields: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (!Array.isArray(fields)) return undefined;
    const [lockId, ownerToken, leaseMs, deadlineMs, holder] = fields;
    const { min, max } = limits.ownerTokenLength;
    const isLease =
      lockIdFault(lockId) === undefined &&
      typeof ownerToken === 'string' &&
      new RegExp(`^[A-Za-z0-9_-]{${min},${max}}$`).test(ownerToken) &&
      Number.isInteger(leaseMs) &&
      leaseMs >= limits.leaseMs.min &&
      leaseMs <= limits.maxLeaseMs.ceiling &&
      Number.isFinite(deadlineMs) &&
      (holder === undefined || (typeof holder === 'string' && isLabel(holder, limits.holderBytes)));
    return isLease ? { lockId, ownerToken, leaseMs, deadlineMs, holder } : undefined;
  } catch {
    return undefined;
  }
}
