/**
 * Runs a command against DynamoDB Local, AWS's own emulator:
 *
 *     tsx test/support/dynamodb-local.ts -- npx jest test/contract
 *
 * Fetches it once into `.cache/`, starts it on a free port in memory, runs the command with `HOLDFAST_TEST_DYNAMODB`
 * set, stops it, and exits with the command's code. Needs Java 17 or later.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const emulator = {
  package: 'amplify-dynamodb-simulator@2.9.30',
  archive: 'amplify-dynamodb-simulator-2.9.30.tgz',
  integrity: 'sha512-xTeeRLvzEfqyd5lh3bH4c0kHvSHHmmhD5ZDsHFKAQ5g2Zl6JqlFdutaQhCLHzxEp6Ry1o7TB6niIoXuQAnSewQ==',
};

const cache = join(import.meta.dirname, '..', '..', '.cache');
const startWithinMs = 30_000;

/** Gives the folder of the emulator, fetched from the npm registry unless it is there already. */
async function fetchEmulator(): Promise<string> {
  const folder = join(cache, 'amplify-dynamodb-simulator-2.9.30');
  const home = join(folder, 'package', 'emulator');
  if (existsSync(home)) return home;
  await mkdir(cache, { recursive: true });
  await run('npm', ['pack', emulator.package, '--pack-destination', cache, '--silent']);
  const archive = join(cache, emulator.archive);
  const got = `sha512-${createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')}`;
  if (got !== emulator.integrity) {
    await rm(archive);
    throw new Error(`${emulator.package} must have integrity ${emulator.integrity}, got ${got}`);
  }
  // Unpacked beside and then renamed, so that an unfinished folder is never taken for the emulator.
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  await run('tar', ['-xzf', archive, '-C', unfinished]);
  await rename(unfinished, folder).catch(async (error: NodeJS.ErrnoException) => {
    // Another process was first.
    await rm(unfinished, { recursive: true });
    if (!existsSync(home)) throw error;
  });
  await rm(archive, { force: true });
  return home;
}

async function requireJava(): Promise<void> {
  try {
    await run('java', ['-version']);
  } catch {
    throw new Error('DynamoDB Local needs Java 17 or later, and there is no working `java` on the PATH: install it');
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function start(home: string): Promise<{ process: ChildProcess; endpoint: string }> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const options = ['-inMemory', '-sharedDb', '-disableTelemetry', '-port', String(port)];
  const child = spawn(
    'java',
    [`-Djava.library.path=${join(home, 'DynamoDBLocal_lib')}`, '-jar', 'DynamoDBLocal.jar', ...options],
    {
      cwd: home,
      env: { ...process.env, DDB_LOCAL_TELEMETRY: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      output = `${output}${data}`.slice(-4_000);
    });
  }
  const givesUpAt = Date.now() + startWithinMs;
  while (!(await answers(endpoint))) {
    if (child.exitCode !== null || Date.now() > givesUpAt) {
      child.kill('SIGKILL');
      throw new Error(`DynamoDB Local did not start within ${startWithinMs} ms:\n${output}`);
    }
    await sleep(100);
  }
  return { process: child, endpoint };
}

// Any HTTP answer will do: an unsigned request is refused with one.
async function answers(endpoint: string): Promise<boolean> {
  return fetch(endpoint).then(
    () => true,
    () => false,
  );
}

async function main(): Promise<number> {
  const [separator, command, ...args] = process.argv.slice(2);
  if (separator !== '--' || !command) {
    throw new Error('usage: tsx test/support/dynamodb-local.ts -- COMMAND [ARGUMENT…]');
  }
  await requireJava();
  const local = await start(await fetchEmulator());
  try {
    const child = spawn(command, args, {
      stdio: 'inherit',
      env: { ...process.env, HOLDFAST_TEST_DYNAMODB: local.endpoint },
    });
    // Ctrl-C reaches the whole group of processes: the command ends by itself, then this one tidies up.
    process.on('SIGINT', () => {});
    process.on('SIGTERM', () => child.kill('SIGTERM'));
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (signal ? constants.signals[signal] : 0);
  } finally {
    local.process.kill('SIGKILL');
    await once(local.process, 'exit');
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  },
);
