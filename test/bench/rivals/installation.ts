import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Installs what is measured, as the lock file has it, unless it is there. Nothing of it runs while it is installed. */
export function installRivals(): void {
  const { dependencies = {} } = manifestIn(__dirname);
  const isThere = Object.entries(dependencies).every(([name, version]) => {
    const folder = join(__dirname, 'node_modules', name);
    return existsSync(folder) && manifestIn(folder).version === version;
  });
  if (isThere) return;
  const args = ['ci', '--prefix', __dirname, '--ignore-scripts', '--no-audit', '--no-fund'];
  // Standard output is for the figures.
  execFileSync('npm', args, { stdio: ['ignore', process.stderr, 'inherit'] });
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
