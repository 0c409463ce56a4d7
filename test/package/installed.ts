import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import manifest from '../../package.json';

const run = promisify(execFile);
const root = join(__dirname, '../..');

/** A folder with the package installed in it from its tarball, as a user's project has it. */
export interface Installed {
  /** The tarball itself. */
  readonly tarball: string;
  /** Writes a file into the folder. */
  write(path: string, text: string): Promise<void>;
  /** Runs a program there, and gives what it printed; rejects with that, too, when it fails. */
  run(program: string, ...args: string[]): Promise<string>;
  remove(): Promise<void>;
}

/**
 * Packs the package and installs it into an empty folder.
 *
 * @param withPeers also installs what is optional (the AWS SDK, OpenTelemetry’s API, CDK): all of it, or what is listed
 */
export async function install(
  tarball: string,
  { withPeers }: { withPeers: boolean | readonly (keyof typeof manifest.peerDependencies)[] },
): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-package-'));
  const runThere = async (program: string, ...args: string[]) => {
    try {
      const { stdout } = await run(program, args, { cwd: folder, timeout: 120_000 });
      return stdout;
    } catch (error) {
      const { message, stdout, stderr } = error as Error & { stdout?: string; stderr?: string };
      throw new Error(`${message}\n${stdout}\n${stderr}`);
    }
  };
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const optional = Object.keys(manifest.peerDependencies);
  const peers = withPeers === true ? optional : withPeers || [];
  const wanted = [tarball, ...peers.map((name) => `${name}@${versionHere(name)}`)];
  await runThere('npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', '--omit=peer', ...wanted);
  return {
    tarball,
    async write(path, text) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    },
    run: runThere,
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Builds and packs the package, and gives the tarball’s path. */
export async function pack(): Promise<{ tarball: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-tarball-'));
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
  const name = stdout.trim().split('\n').at(-1) ?? '';
  return { tarball: join(folder, name), remove: () => rm(folder, { recursive: true }) };
}

/** The program of a package that is installed here, such as the compiler. */
export function programHere(name: string): string {
  return join(root, 'node_modules/.bin', name);
}

function versionHere(name: string): string {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version;
}
