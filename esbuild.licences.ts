import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/** Licences under which code of others may be in a bundle. */
const permitted = new Set([
  'MIT',
  'MIT-0',
  'Apache-2.0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '(MIT OR CC0-1.0)',
]);

interface Manifest {
  readonly name: string;
  readonly version: string;
  /** Old packages have an object, or a list of them. */
  readonly license?: string | { readonly type: string };
  readonly licenses?: readonly { readonly type: string }[];
}

/** The packages whose code is in bundles: their licences want their texts to go with it. */
export class BundledPackages {
  readonly #folders = new Set<string>();

  /** Of a build: notes what it bundles. */
  readonly plugin: Plugin = {
    name: 'bundled-packages',
    setup: ({ initialOptions, onEnd }) => {
      initialOptions.metafile = true;
      onEnd(({ metafile }) => {
        const files = Object.values(metafile?.outputs ?? {}).flatMap(({ inputs }) => Object.keys(inputs));
        for (const file of files) {
          const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
          if (folder) this.#folders.add(folder);
        }
      });
    },
  };

  /**
   * Name, version, licence and its text of each package, by name.
   *
   * @throws Error for a package under another licence than those that are permitted
   */
  async licences(): Promise<string> {
    const entries = new Map<string, string>();
    for (const folder of this.#folders) {
      const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
      const { name, version } = manifest;
      const license = licenceOf(manifest);
      if (!permitted.has(license)) {
        throw new Error(
          `${name} ${version} is bundled, and its licence ${license} is not among ${[...permitted].join(', ')}`,
        );
      }
      const file = (await readdir(folder)).find((each) => /^(licen[cs]e|copying)/i.test(each));
      const text = file ? (await readFile(join(folder, file), 'utf8')).trim() : '(the package brings no text of it)';
      entries.set(`${name} ${version}`, `${name} ${version}: ${license}\n\n${text}\n`);
    }
    const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
    return `Code of these packages is in the bundles of this one.\n\n${sorted.join(`\n${'-'.repeat(80)}\n\n`)}`;
  }
}

function licenceOf({ license, licenses }: Manifest): string {
  if (typeof license === 'string') return license;
  return (
    [license ?? [], licenses ?? []]
      .flat()
      .map(({ type }) => type)
      .join(' OR ') || 'none'
  );
}
