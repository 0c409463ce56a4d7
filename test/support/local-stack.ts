import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { environmentNames } from '../../lambda/names.ts';

/** A local stack in a process of its own. */
export interface LocalStackProcess {
  readonly url: string;
  readonly pid: number;
  /** Everything it printed so far, on both streams. */
  output(): string;
  /** Asks it to stop, as Ctrl-C does, and gives its exit code. Fails when it takes longer than 5 s. */
  stop(): Promise<number | null>;
  /** Ends it as a crash would (SIGKILL). */
  kill(): Promise<void>;
}

export interface LocalStackOptions {
  /** Its command line, but for the port, which is any free one unless given here. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const root = join(__dirname, '..', '..');
// Loading TypeScript on a busy machine takes its time; alone it is ready in about a second.
const readyWithinMs = 20_000;
const stopWithinMs = 5_000;

const running = new Set<ChildProcess>();

// Whatever a test does or fails to do, no process outlives its file.
afterAll(async () => {
  await Promise.all([...running].map((child) => stopped(child, () => '')));
});

/** Starts a local stack and waits until it is ready. With `HOLDFAST_TEST_DYNAMODB` it uses that database, in a table of its own. */
export async function startLocalStack({ args = [], env = {} }: LocalStackOptions = {}): Promise<LocalStackProcess> {
  const { child, output } = launch(args, env);
  const url = await ready(child, output);
  return {
    url,
    pid: child.pid ?? 0,
    output,
    stop: () => stopped(child, output),
    kill: () => killed(child),
  };
}

/** Runs a local stack that is expected to end by itself. */
export async function runLocalStack({ args = [], env = {} }: LocalStackOptions = {}) {
  const { child, output, errors } = launch(args, env);
  const timer = setTimeout(() => child.kill('SIGKILL'), readyWithinMs);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { exitCode, output: output(), errors: errors() };
}

function launch(args: readonly string[], env: Readonly<Record<string, string>>) {
  const { HOLDFAST_TEST_DYNAMODB: endpoint, ...inherited } = process.env;
  const choosesPlace = args.some((arg) => ['--memory', '--data', '--dynamodb'].includes(arg));
  const shared = endpoint !== undefined && !choosesPlace;
  const child = spawn(
    process.execPath,
    [
      ...['--import', 'tsx', join('lambda', 'local', 'main.ts')],
      ...(args.includes('--port') ? [] : ['--port', '0']),
      ...(shared ? ['--dynamodb', endpoint] : []),
      ...args,
    ],
    {
      cwd: root,
      env: { ...inherited, ...(shared && { [environmentNames.table]: `locks-${randomUUID()}` }), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  running.add(child);
  child.once('exit', () => running.delete(child));
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    errors += text;
  });
  return { child, output: () => output, errors: () => errors };
}

function ready(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => {
      child.kill('SIGKILL');
      reject(new Error(`the local stack ${what}; it printed:\n${output()}`));
    };
    const timer = setTimeout(() => fail(`was not ready within ${readyWithinMs} ms`), readyWithinMs);
    child.stdout?.on('data', () => {
      const url = /^Holdfast is ready on (\S+)$/m.exec(output())?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      fail(`ended with exit code ${code} before it was ready`);
    });
  });
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function stopped(child: ChildProcess, output: () => string): Promise<number | null> {
  if (!hasEnded(child)) {
    const ended = once(child, 'close');
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, stopWithinMs);
    child.kill('SIGTERM');
    await ended;
    clearTimeout(timer);
    if (late) throw new Error(`the local stack did not stop within ${stopWithinMs} ms; it printed:\n${output()}`);
  }
  return child.exitCode;
}

async function killed(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
