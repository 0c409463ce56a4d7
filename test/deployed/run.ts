import { isLoopback } from '../../sdk/api-addresses.ts';
import { regionOf } from '../../sdk/http/signer.ts';
import { administratorCredentials, callerCredentials, checkCredentials } from './caller-credentials.ts';
import type { Check, Finding, Setting } from './check.ts';
import { bodyChecks } from './checks/bodies.ts';
import { clockChecks } from './checks/clocks.ts';
import { demoChecks } from './checks/demo.ts';
import { grantChecks } from './checks/grants.ts';
import { lockChecks } from './checks/locks.ts';
import { pathChecks } from './checks/paths.ts';
import { signatureChecks } from './checks/signatures.ts';
import { throttleChecks } from './checks/throttles.ts';
import { waitChecks } from './checks/waits.ts';
import { Deployment } from './deployment.ts';
import { type Group, type Options, UsageError } from './options.ts';
import { closeConnections } from './raw-request.ts';
import { checkReachable } from './reachable.ts';

/** One check and what it found, as it is printed. */
export type Entry = { readonly group: Group; readonly what: string; readonly expected: string } & Finding;

/** What a run came to. */
export interface Report {
  readonly url: string;
  readonly entries: readonly Entry[];
  readonly requests: number;
  readonly seconds: number;
  /** Locks that could not be given back; their leases end within a minute. */
  readonly left: readonly string[];
}

const checksOf: Readonly<Record<Group, (setting: Setting) => Check[]>> = {
  signatures: signatureChecks,
  paths: pathChecks,
  bodies: bodyChecks,
  locks: lockChecks,
  waits: waitChecks,
  clocks: clockChecks,
  grants: grantChecks,
  throttles: throttleChecks,
  demo: demoChecks,
};

/**
 * Runs the checks one after the other, and gives back what they took.
 *
 * @param report told of each as it ends
 * @param stopping ends the run, and the check under way
 * @param runMs how long the checks may take, milliseconds (default: 10 minutes)
 * @throws UsageError when it cannot begin
 */
export async function verify(
  options: Options,
  report: (entry: Entry) => void,
  stopping: AbortSignal,
  runMs?: number,
): Promise<Report> {
  const { url, only } = options;
  const administrator = administratorCredentials(options.profile);
  const region = regionFor(options);
  await checkCredentials('the administrator', administrator);
  const [use, read] = [options.use, options.read].map(
    (caller) => caller && callerCredentials(caller, administrator, region),
  );
  if (use) await checkCredentials('the use role', use);
  if (read) await checkCredentials('the read role', read);
  await checkReachable(url);
  const deployment = new Deployment({ url, region, administrator, lockPrefix: options.lockPrefix, runMs }, stopping);
  const startedMs = performance.now();
  const entries: Entry[] = [];
  let left: string[] = [];
  try {
    for (const group of only) {
      for (const check of checksOf[group]({ deployment, options, use, read })) {
        const finding: Finding = deployment.isOver ? tooLate : await run(check);
        if (stopping.aborted) break;
        const { what, expected } = check;
        const entry = { group, what, expected, ...finding };
        entries.push(entry);
        report(entry);
      }
    }
  } finally {
    left = await deployment.cleanUp();
    closeConnections();
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  return { url: url.href, entries, requests: deployment.requests, seconds, left };
}

const tooLate: Finding = { result: 'FAILED', got: 'not begun: the run took too long' };

async function run(check: Check): Promise<Finding> {
  try {
    return await check.run();
  } catch (error) {
    const { message, cause } = error as Error;
    return { result: 'FAILED', got: `no answer: ${message || String(cause ?? error)}` };
  }
}

function regionFor({ url, region }: Options): string {
  // Any Region is right there, and the checks want one that has a neighbour.
  if (region === undefined && isLoopback(url)) return 'us-east-1';
  try {
    return regionOf(url, region);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
