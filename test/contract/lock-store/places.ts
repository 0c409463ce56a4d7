import { lineOf } from '../../support/lock-items.ts';

/** A place in a line: whoever stands there, and those before and behind. */
export interface PlaceInLine {
  readonly before: readonly string[];
  readonly waiter: string;
  readonly behind: readonly string[];
}

/** First, middle and last places in lines of 1, 2, 8 and 64, each under its title. */
export const placesInLine: readonly [string, PlaceInLine][] = (
  [
    [0, 1],
    [0, 2],
    [1, 2],
    [0, 8],
    [3, 8],
    [7, 8],
    [0, 64],
    [31, 64],
    [63, 64],
  ] as const
).map(([place, length]) => [`place ${place + 1} of ${length}`, placeInLine(place, length)]);

/** The place of this index, from 0, in a line of `lineOf(length)`. */
export function placeInLine(place: number, length: number): PlaceInLine {
  const line = Object.keys(lineOf(length));
  return { before: line.slice(0, place), waiter: line[place] ?? '', behind: line.slice(place + 1) };
}

/** The tickets of these waiters, all until the same moment. */
export function ticketsUntil(ticketEnd: number, waiters: readonly string[]): Record<string, number> {
  return Object.fromEntries(waiters.map((waiter) => [waiter, ticketEnd]));
}
