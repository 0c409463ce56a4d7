import { defaultTiming } from '../../../lambda/service/timing.ts';
import { type Check, type Finding, found, type Setting } from '../check.ts';
import { memberOf, numberOf } from '../reply.ts';

const looks = 10;
/** A `Date` header is cut to whole seconds. */
const dateResolutionMs = 1_000;

/** How far one clock may be ahead of another, by one answer: something from this to that. */
interface Offset {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** Whose clock says what. Leases count on hosts that agree within the clock margin. */
export function clockChecks({ deployment }: Setting): Check[] {
  const { clockSkewMs } = defaultTiming;
  return [
    {
      what: 'this host’s clock against the Date of all answers',
      expected: `perhaps within ${clockSkewMs} ms of one another, as embedded locks count on it`,
      async run() {
        for (let look = 0; look < looks; look++) await deployment.call('inspect', deployment.lockId('clock'));
        const offsets = deployment.replies.map(({ sentAtMs, receivedAtMs, date }) => {
          const dateMs = Date.parse(date ?? '');
          return { leastMs: dateMs - receivedAtMs, mostMs: dateMs + dateResolutionMs - sentAtMs };
        });
        return foundSkew('this host’s', offsets);
      },
    },
    {
      what: 'the functions’ clock against the Date of the same answers',
      expected: `perhaps within ${clockSkewMs} ms of one another`,
      async run() {
        const offsets: Offset[] = [];
        for (let look = 0; look < looks; look++) {
          const { attempt, reply } = await deployment.try(deployment.lockId(`clock ${look}`));
          await deployment.release(attempt);
          const decidedMs = Date.parse(String(memberOf(reply, 'expiresAt'))) - numberOf(reply, 'expiresInMs');
          const dateMs = Date.parse(reply.headers.date ?? '');
          const tookMs = reply.receivedAtMs - reply.sentAtMs;
          // The answer was dated after the function decided, by no more than the whole request took.
          offsets.push({ leastMs: dateMs - decidedMs - tookMs, mostMs: dateMs + dateResolutionMs - decidedMs });
        }
        return foundSkew('the functions’', offsets);
      },
    },
  ];
}

/**
 * What is known of two clocks. A date of whole seconds leaves a range for their difference: wrong is what lies beyond the
 * clock margin with all of it.
 */
export function foundSkew(whose: string, offsets: readonly Offset[]): Finding {
  const { clockSkewMs } = defaultTiming;
  const { leastMs, mostMs } = common(offsets);
  const isPossible = leastMs <= clockSkewMs && mostMs >= -clockSkewMs;
  const range =
    leastMs <= mostMs
      ? `their difference is something from ${leastMs} to ${mostMs} ms`
      : `their difference changes, from ${mostMs} or less to ${leastMs} ms or more`;
  return found(
    isPossible,
    `the answers’ clock less ${whose}, by ${offsets.length} answers of whole seconds: ${range}, so ` +
      (isPossible ? `it may well be within ${clockSkewMs}` : `it is beyond ${clockSkewMs} whatever the fraction`),
  );
}

// What all of them allow. (Those that allow nothing in common show clocks that disagree among themselves.)
function common(offsets: readonly Offset[]): Offset {
  return {
    leastMs: Math.max(...offsets.map(({ leastMs }) => leastMs)),
    mostMs: Math.min(...offsets.map(({ mostMs }) => mostMs)),
  };
}
