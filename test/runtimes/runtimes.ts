import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { bundleForHttp } from '../support/http-bundle.ts';
import { until } from '../support/until.ts';
import type { StoryOptions } from './story.ts';

/** A runtime that can tell the story: what it saw, or an error. */
export interface Runtime {
  readonly name: string;
  tell(folder: string, options: StoryOptions): Promise<string[]>;
}

// Fetched by npm, each the newest of its major version; none of them is installed with the project.
export const runtimes: readonly Runtime[] = [
  program('Node 20', ['npx', '-y', 'node@20']),
  program('Node 22', ['npx', '-y', 'node@22']),
  program('Node 24', ['npx', '-y', 'node@24']),
  // Nothing but the network is allowed: neither the environment, nor files, nor the host's name.
  program('Deno 2', ['npx', '-y', 'deno@2', 'run', '--no-config', '--no-prompt', '--allow-net=127.0.0.1']),
  program('Bun 1', ['npx', '-y', 'bun@1', 'run']),
  { name: 'Workers (workerd)', tell: tellInWorkerd },
];

/** A runtime that runs a file as a program. */
function program(name: string, command: readonly string[]): Runtime {
  return {
    name,
    async tell(folder, options) {
      const file = join(folder, 'program.mjs');
      const { code } = await bundleForHttp(`
        import { story } from './test/runtimes/story.ts';
        // The timers of a lease do not keep a process alive.
        const alive = setInterval(() => undefined, 1_000);
        console.log(JSON.stringify(await story(${JSON.stringify(options)})));
        clearInterval(alive);
      `);
      await writeFile(file, code);
      const child = run([...command, file], folder);
      return JSON.parse(await child.finished()) as string[];
    },
  };
}

/** Workers run nothing by themselves: a request makes one tell the story. */
async function tellInWorkerd(folder: string, options: StoryOptions): Promise<string[]> {
  const { code } = await bundleForHttp(`
    import { story } from './test/runtimes/story.ts';
    export default {
      async fetch() {
        try {
          return Response.json(await story(${JSON.stringify(options)}));
        } catch (error) {
          return new Response(String(error?.stack), { status: 500 });
        }
      },
    };
  `);
  const socket = join(folder, 'worker.sock');
  await writeFile(join(folder, 'worker.mjs'), code);
  await writeFile(
    join(folder, 'worker.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [
        (name = "main", worker = (
          modules = [(name = "worker", esModule = embed "worker.mjs")],
          compatibilityDate = "2026-01-01",
          globalOutbound = "local",
        )),
        (name = "local", network = (allow = ["local"])),
      ],
      sockets = [(name = "http", address = "unix:${socket}", http = (), service = "main")],
    );`,
  );
  const worker = run(['npx', '-y', 'workerd@1', 'serve', 'worker.capnp'], folder);
  const ended = worker.finished().then(
    (output) => Promise.reject(new Error(`the runtime ended by itself: ${output}`)),
    (error: unknown) => Promise.reject(error),
  );
  try {
    await Promise.race([until('the worker listens', () => existsSync(socket)), ended]);
    const { statusCode, text } = await Promise.race([requested(socket), ended]);
    if (statusCode !== 200) throw new Error(text);
    return JSON.parse(text) as string[];
  } finally {
    ended.catch(() => undefined);
    await worker.end();
  }
}

async function requested(socketPath: string): Promise<{ statusCode: number | undefined; text: string }> {
  const [answer] = (await once(get({ socketPath, path: '/' }), 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return { statusCode: answer.statusCode, text };
}

const running = new Set<ChildProcess>();

/** Ends whatever runs still. */
export async function endAll(): Promise<void> {
  await Promise.all([...running].map(end));
}

function run([command = '', ...args]: readonly string[], cwd: string) {
  // A group of its own: npx starts the runtime as a process below it.
  const child = spawn(command, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let output = '';
  let errors = '';
  child.stdout?.on('data', (chunk) => {
    output += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    errors += String(chunk);
  });
  const closed = once(child, 'close').then(([exitCode]) => exitCode as number | null);
  return {
    async finished(): Promise<string> {
      const exitCode = await closed;
      running.delete(child);
      if (exitCode !== 0) throw new Error(`exit code ${exitCode}\n${output}\n${errors}`);
      return output;
    },
    end: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  running.delete(child);
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await exited;
}
