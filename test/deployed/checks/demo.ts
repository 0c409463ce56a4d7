import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Check, found, type Setting, skipped } from '../check.ts';
import type { Deployment } from '../deployment.ts';

const root = join(__dirname, '..', '..', '..');
const demoMs = 300_000;

/** The demo's processes against the deployment. */
export function demoChecks({ deployment, options }: Setting): Check[] {
  const what = 'the demo: four processes and one file, and a holder that is killed';
  const expected = '300 of 300 with the lock, the take-over after the lease, a greater fencing token';
  const run = options.demo ? () => demo(deployment) : async () => skipped('give --demo; it sends about 2,500 requests');
  return [{ what, expected, run }];
}

async function demo({ url, region, administrator, prefix }: Deployment) {
  const { accessKeyId, secretAccessKey, sessionToken } = await administrator();
  const { AWS_SESSION_TOKEN: _other, ...env } = process.env;
  const args = ['--import', 'tsx', 'sdk/examples/demo/demo.ts', '--url', url.href, '--prefix', prefix];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: root,
      timeout: demoMs,
      env: {
        ...env,
        HOLDFAST_REGION: region,
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
        ...(sessionToken !== undefined && { AWS_SESSION_TOKEN: sessionToken }),
      },
    });
    return found(true, verdicts(stdout));
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return found(false, verdicts(stdout) || stderr.split('\n').find((line) => line.includes('Error')) || 'no figures');
  }
}

function verdicts(output: string): string {
  return (output.match(/^(?:ok +|WRONG ).*$/gm) ?? []).join('; ');
}
