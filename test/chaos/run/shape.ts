import { createHash } from 'node:crypto';
import { seededRandom } from '../../support/seeded-random.ts';

/** What a chaos run is made of, and its times in milliseconds. */
export const shape = {
  /** Workers over HTTP, and workers with the service inside them; all of them share one table. */
  httpWorkers: 3,
  embeddedWorkers: 2,
  flowsPerWorker: 2,
  /** The API runs as often, each with a clock of its own, as functions do. */
  apis: 2,
  lockIds: ['chaos/hot', 'chaos/warm', 'chaos/mild'],
  seasonalLockId: 'chaos/seasonal',
  leaseMs: 2_000,
  /** A freeze outlasts a lease, with the clock margin, by up to this. */
  freezeMs: { min: 2_600, max: 4_500 },
  /** The longest delay of a request or reply, and the longest time after which a request is delivered once more. */
  delayMs: 2_000,
  /** Two clocks differ by less than the margin of 500. */
  clockOffsetMs: 240,
  /** Beyond the margin, half of the clocks are off by this much. */
  wildOffsetMs: { min: 600, max: 2_500 },
  seasonMs: 4_000,
} as const;

export const workers = shape.httpWorkers + shape.embeddedWorkers;

/** A source of chance for one of the things of a run, whatever the others have drawn from theirs. */
export function chance(seed: number, name: string): () => number {
  return seededRandom(createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE());
}

/** How far a clock is off, by chance. */
export function clockOffset(random: () => number, isBeyondMargin: boolean): number {
  const sign = random() < 0.5 ? -1 : 1;
  const { min, max } = shape.wildOffsetMs;
  const isWild = random() < 0.5 && isBeyondMargin;
  return Math.round(sign * (isWild ? min + (max - min) * random() : shape.clockOffsetMs * random()));
}

/**
 * How long an item must have been at rest before DynamoDB may delete it: the clocks' spread and the longest that a request
 * can be under way (its process frozen, the request delayed, and repeated by its client), with as much again as a busy
 * machine may add.
 */
export function restMs(isBeyondMargin: boolean): number {
  const spreadMs = 2 * (isBeyondMargin ? shape.wildOffsetMs.max : shape.clockOffsetMs);
  return spreadMs + shape.freezeMs.max + shape.delayMs + 5_000;
}
