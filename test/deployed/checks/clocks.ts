import { defaultTiming } from '../../../lambda/service/timing.ts';
import { type Check, found, type Setting } from '../check.ts';
import { memberOf, numberOf } from '../reply.ts';

const looks = 10;
/** A `Date` header is cut to whole seconds. */
const dateResolutionMs = 1_000;

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
      expected: `at most ${clockSkewMs} ms apart, as embedded locks count on it`,
      async run() {
        for (let look = 0; look < looks; look++) await deployment.call('inspect', deployment.lockId('clock'));
        const offsets = deployment.replies.map(({ sentAtMs, receivedAtMs, date }) => {
          const dateMs = Date.parse(date ?? '');
          return { leastMs: dateMs - receivedAtMs, mostMs: dateMs + dateResolutionMs - sentAtMs };
        });
        const { leastMs, mostMs } = common(offsets);
        const isRight = leastMs <= clockSkewMs && mostMs >= -clockSkewMs;
        return found(
          isRight,
          `the answers’ clock less this host’s: ${leastMs} to ${mostMs} ms, by ${offsets.length} answers`,
        );
      },
    },
    {
      what: 'the functions’ clock against the Date of the same answers',
      expected: `at most ${clockSkewMs} ms apart`,
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
        const { leastMs, mostMs } = common(offsets);
        const isRight = leastMs <= clockSkewMs && mostMs >= -clockSkewMs;
        return found(
          isRight,
          `the answers’ clock less the functions’: ${leastMs} to ${mostMs} ms, by ${offsets.length} answers`,
        );
      },
    },
  ];
}

// What all of them allow. (Those that allow nothing in common show clocks that disagree among themselves.)
function common(offsets: readonly Offset[]): Offset {
  return {
    leastMs: Math.max(...offsets.map(({ leastMs }) => leastMs)),
    mostMs: Math.min(...offsets.map(({ mostMs }) => mostMs)),
  };
}
