import * as z from 'zod/mini';
import { isLabel } from './label.ts';
import { limits } from './limits.ts';
import { lockViewSchema } from './lock-view.ts';
import { ownerTokenForm } from './owner-token.ts';

// Each field says what it allows in its own words: the schema library's own message would be "Invalid input".

const tokenRule = `must be ${limits.ownerTokenLength.min} to ${limits.ownerTokenLength.max} characters of A-Za-z0-9_-`;
const ownerToken = z.string(tokenRule).check(z.regex(ownerTokenForm, tokenRule));

function label(maxBytes: number) {
  const rule = `must be text of 1 to ${maxBytes} UTF-8 bytes without control or bidirectional formatting characters`;
  return z.string(rule).check(
    z.minLength(1, rule),
    // A character has at least one byte, so this bound shows in the document; the refinement counts the bytes.
    z.maxLength(maxBytes, rule),
    z.refine((text) => isLabel(text, maxBytes), rule),
  );
}

function wholeNumber(min: number, max: number, unit: string) {
  const rule = `must be a whole number from ${min} to ${max}${unit}`;
  return z.int(rule).check(z.minimum(min, rule), z.maximum(max, rule));
}

function flag(initial: boolean) {
  return z._default(z.boolean('must be true or false'), initial);
}

// Without a token of its own a caller could not come back: the service's is in no problem.
function needsOwnerToken(name: 'keepPlace' | 'resume') {
  const isComplete = (body: unknown) => {
    const { [name]: asked, ownerToken: token } = body as Record<string, unknown>;
    return !asked || token !== undefined;
  };
  return z.refine(isComplete, { path: [name], error: 'needs an ownerToken beside it' });
}

const prefixRule = 'must be well-formed text';
const objectRule = 'must be a JSON object';

/**
 * The schemas of every request body and of the list's query.
 *
 * @param maxLeaseMs the longest lease that the deployment allows, milliseconds
 */
export function requestSchemas(maxLeaseMs: number = limits.maxLeaseMs.ceiling) {
  const leaseMs = z._default(
    wholeNumber(limits.leaseMs.min, maxLeaseMs, ' milliseconds'),
    Math.min(limits.leaseMs.default, maxLeaseMs),
  );
  const holder = z.optional(label(limits.holderBytes));
  const attempt = { ownerToken: z.optional(ownerToken), holder, leaseMs };
  return {
    try: z.strictObject(attempt, objectRule),
    acquire: z
      .strictObject(
        {
          ...attempt,
          waitMs: z._default(wholeNumber(0, limits.waitMs.max, ' milliseconds'), limits.waitMs.max),
          /** Any grant after waiting is provisional, until the caller renews it. */
          confirm: flag(false),
          /** At the end of waitMs the place in line is kept: `still-waiting`. */
          keepPlace: flag(false),
          /** Come back to a place that was kept. */
          resume: flag(false),
        },
        objectRule,
      )
      .check(needsOwnerToken('keepPlace'), needsOwnerToken('resume')),
    renew: z.strictObject({ ownerToken, holder, leaseMs }, objectRule),
    release: z
      .strictObject(
        {
          ownerToken,
          /** The caller's last answer showed waiters: looking first saves a refused write. */
          expectWaiters: flag(false),
          /** Who gets the lock in the same write when nobody stands in line. */
          heir: z.optional(z.strictObject({ ownerToken, holder, leaseMs }, objectRule)),
          /** The heir gets it whoever stands in line: it is the holder itself, which goes on under another token. */
          heirFirst: flag(false),
        },
        objectRule,
      )
      .check(
        z.refine((body) => body.heir?.ownerToken !== body.ownerToken, {
          path: ['heir', 'ownerToken'],
          error: 'must not be the token that is released',
        }),
        z.refine((body) => !body.heirFirst || body.heir !== undefined, {
          path: ['heirFirst'],
          error: 'needs an heir beside it',
        }),
      ),
    break: z.strictObject(
      {
        fencingToken: wholeNumber(1, Number.MAX_SAFE_INTEGER, ', as the view shows it'),
        note: z.optional(label(limits.noteBytes)),
      },
      objectRule,
    ),
    list: z.strictObject({
      prefix: z._default(z.string(prefixRule).check(z.refine((text) => text.isWellFormed(), prefixRule)), ''),
      state: z._default(z.enum(['held', 'over', 'free', 'all'], 'must be one of held, over, free, all'), 'held'),
      limit: z._default(wholeNumber(1, limits.list.limit.max, ''), limits.list.limit.default),
      cursor: z.optional(z.string()),
    }),
  };
}

export type RequestSchemas = ReturnType<typeof requestSchemas>;
export type TryBody = z.input<RequestSchemas['try']>;
export type AcquireBody = z.input<RequestSchemas['acquire']>;
export type RenewBody = z.input<RequestSchemas['renew']>;
export type ReleaseBody = z.input<RequestSchemas['release']>;
export type BreakBody = z.input<RequestSchemas['break']>;
export type ListQuery = z.input<RequestSchemas['list']>;

const count = z.int().check(z.minimum(0));

/** A grant. `ownerToken` is the right to renew and release: a secret between the caller and the service. */
export const leaseSchema = z.object({
  lockId: z.string(),
  ownerToken,
  /** Greater than that of every earlier grant of this lock. */
  fencingToken: z.int().check(z.minimum(1)),
  leaseMs: count,
  /** From the moment the service decided. A careful client counts `leaseMs` from before it sent the request. */
  expiresInMs: count,
  /** RFC 3339, by the service's clock. */
  expiresAt: z.string(),
  /** True: granted for one claim window; renew to confirm it, and count the lease from there. */
  provisional: z.boolean(),
  waiters: count,
});
export type LeaseMessage = z.infer<typeof leaseSchema>;

/** The answer to a release; `heir` is the heir's lease, absent when the lock went to the line first. */
export const releasedSchema = z.object({ released: z.literal(true), heir: z.optional(leaseSchema) });

/** The answer to a break: the lock as it is after it. */
export const brokenSchema = z.object({ broken: z.literal(true), lock: lockViewSchema });
