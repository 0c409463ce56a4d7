import { setTimeout as pause } from 'node:timers/promises';
import { hostMs } from '../../../support/host-clock.ts';
import type { CountedRequest } from '../../counting-proxy.ts';
import { LockTable } from '../../lock-table.ts';
import type { CountedGround } from '../ground.ts';
import { type Contest, contend } from './contention.ts';
import { type ContentionSummary, summaryOf } from './contention-summary.ts';
import { passedInLine } from './passed-in-line.ts';

/** What a run of contenders costs at the database, and for Holdfast over HTTP at the API. */
export interface ContentionCost {
  readonly requestsPerSecond: number;
  readonly requestsPerGrant: number;
  readonly unitsPerGrant: number;
  /** Of those requests, strongly consistent reads: one unit each. */
  readonly consistentReadsPerGrant: number;
  readonly apiRequestsPerGrant: number;
  /** Of Holdfast: how many got the lock from behind others, as its stored line showed, and how often that was looked at. */
  readonly passedInLine?: { readonly passed: number; readonly looks: number };
  readonly summary: ContentionSummary;
}

const betweenLooksMs = 20;

export async function countedContention(
  contest: Omit<Contest, 'ground'>,
  ground: CountedGround,
): Promise<ContentionCost> {
  const { system, contenders } = contest;
  const looks: (readonly string[])[] = [];
  const look = async (lockId: string, untilMs: number) => {
    const table = new LockTable(ground.uncounted.endpoint, ground.table);
    while (hostMs() < untilMs) {
      looks.push((await table.read(lockId))?.queue ?? []);
      await pause(betweenLooksMs);
    }
    table.close();
  };
  const isHoldfast = system.kind === 'holdfast';
  const run = await contend({ ...contest, ground }, isHoldfast ? look : undefined);
  const within = ({ startedMs }: CountedRequest) => startedMs >= run.fromMs && startedMs < run.untilMs;
  // By its name, the lock is told from those of others that are counted at the same time.
  const atDatabase = ground.database.requests.filter(
    (request) => within(request) && JSON.stringify(request.body).includes(run.lockId),
  );
  const summary = summaryOf(run, contenders);
  const units = atDatabase.reduce((sum, request) => sum + (request.units ?? 0), 0);
  return {
    requestsPerSecond: (atDatabase.length * 1_000) / (run.untilMs - run.fromMs),
    requestsPerGrant: atDatabase.length / summary.grants,
    unitsPerGrant: units / summary.grants,
    consistentReadsPerGrant: atDatabase.filter(({ body }) => body['ConsistentRead'] === true).length / summary.grants,
    apiRequestsPerGrant: ground.api.requests.filter(within).length / summary.grants,
    ...(isHoldfast && { passedInLine: { passed: passedInLine(looks), looks: looks.length } }),
    summary,
  };
}
