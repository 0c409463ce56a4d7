import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type PrintedApi, publicApiOf } from '../../support/api/public-api-of.ts';

const root = join(__dirname, '../../..');

describe('the API page', () => {
  let api: PrintedApi;
  beforeAll(() => {
    api = publicApiOf(root);
  });

  it('is the one that is committed: run `npm run api` after a change of a docstring or signature', async () => {
    expect(await readFile(join(root, 'sdk/API.md'), 'utf8')).toBe(api.page);
  });

  it('covers every entry of the SDK', () => {
    expect(api.entries.map(({ name }) => name)).toEqual([
      'holdfast',
      'holdfast/auto',
      'holdfast/memory',
      'holdfast/embedded',
      'holdfast/opentelemetry',
    ]);
    expect(api.entries.filter(({ symbols }) => symbols.length === 0)).toEqual([]);
  });

  it('is made of docstrings that lack nothing', () => {
    expect(api.faults).toEqual([]);
  });

  it('leads from its contents to a heading for each name', () => {
    const headings = [...api.page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
    const anchors = headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
    const links = [...api.page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    const names = api.entries.flatMap(({ symbols }) => symbols);
    expect(links.length).toBe(names.length);
    // Each anchor once: of a second heading of the same name the link would find the first.
    expect(links.map((link) => anchors.filter((anchor) => anchor === link).length)).toEqual(links.map(() => 1));
  });
});

const wellDocumented = `
/**
 * Goes wrong.
 *
 * @example throw new GoneError();
 */
export class GoneError extends Error {}

/** @throws GoneError always */
function fail(): never {
  throw new GoneError();
}

/**
 * Has everything.
 *
 * @example const { waitMs } = options;
 */
export interface Options {
  /** Milliseconds, 0 or more. Default: 5. */
  readonly waitMs?: number;
}

/**
 * Has everything, too.
 *
 * @example new Base().run();
 */
export class Base {
  #secret = 1;
  private hidden = this.#secret;
  /** @internal Nobody's business. */
  internal(): void { fail(); }
  /**
   * Runs.
   *
   * @param times from 1
   * @returns the sum
   * @throws GoneError always
   */
  async run(times = this.hidden, { waitMs }: Options = {}): Promise<number> { return fail() ?? times + (waitMs ?? 0); }
}

/**
 * Leaves the docstring of what it inherits to the base.
 *
 * @example new Derived().run();
 */
export class Derived extends Base {
  override async run(): Promise<number> { return 1; }
}

/** One of two. */
export type Choice = 'a' | 'b';
`;

const badlyDocumented = `
import { Base, GoneError, type Options } from './index.ts';

interface Hidden { readonly a: number }

export type Bare = string;

/** Without an example. */
export interface NoExample {
  undocumented: number;
  /** Without a unit. */
  waitMs: number;
}

/**
 * Does not say that it throws itself.
 *
 * @example throwing();
 */
export function throwing(): void { throw new GoneError(); }

/**
 * Does not say that what it calls throws.
 *
 * @example calling();
 */
export function calling(): void { void new Base().run(); }

/**
 * Does not say what it rejects with.
 *
 * @example void rejecting();
 */
export function rejecting(): Promise<void> { return Promise.resolve(); }

/**
 * Names an error that nobody can import, and shows a type that nobody can name.
 *
 * @example strange({ a: 1 }, {});
 * @throws MissingError for no reason
 */
export function strange(hidden: Hidden, options: Options): void { void [hidden, options]; }

/** Constants have members, too. */
export const tools = {
  undocumented(): void {},
};
`;

describe('the rules for docstrings', () => {
  let folder: string;
  let api: PrintedApi;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-api-'));
    const write = async (path: string, text: string) => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    };
    const entry = (path: string) => ({ import: { types: `./dist/types/esm/${path}.d.ts` } });
    const exports = { '.': entry('sdk/index'), './bad': entry('sdk/bad'), './infra': entry('infra/index') };
    await write('package.json', JSON.stringify({ name: 'sample', exports }));
    const compilerOptions = { strict: true, target: 'es2022', module: 'preserve', types: [], noEmit: true };
    await write(
      'tsconfig.types.json',
      JSON.stringify({ compilerOptions: { ...compilerOptions, allowImportingTsExtensions: true }, include: ['sdk'] }),
    );
    await write('sdk/index.ts', wellDocumented);
    await write('sdk/bad.ts', badlyDocumented);
    api = publicApiOf(folder);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('find nothing where everything is said', () => {
    expect(api.faults.filter((fault) => !fault.startsWith('sample/bad'))).toEqual([]);
  });

  it('name each symbol that lacks something, and what', () => {
    expect(api.faults.filter((fault) => fault.startsWith('sample/bad'))).toEqual([
      'sample/bad Bare: no docstring',
      'sample/bad NoExample: no @example',
      'sample/bad NoExample.undocumented: no docstring',
      'sample/bad NoExample.waitMs: does not say that it is in milliseconds',
      'sample/bad throwing: no @throws, though it rejects or throws',
      'sample/bad calling: no @throws, though it rejects or throws',
      'sample/bad rejecting: no @throws, though it rejects or throws',
      'sample/bad strange: @throws MissingError, which is not exported',
      'sample/bad strange: its signature shows Hidden, which is not exported',
      'sample/bad tools.undocumented: no docstring',
    ]);
  });

  it('leave out what is private, internal, or of another folder', () => {
    expect(api.entries.map(({ name }) => name)).toEqual(['sample', 'sample/bad']);
    const [sample] = api.entries;
    const base = sample?.symbols.find(({ name }) => name === 'Base');
    expect(base?.members.map(({ name }) => name)).toEqual(['run']);
  });

  it('show signatures with defaults, and examples with the imports that they need', () => {
    expect(api.page).toContain('run(times = this.hidden, { waitMs }: Options = {}): Promise<number>');
    expect(api.page).toContain('- `waitMs?: number`: Milliseconds, 0 or more. Default: 5.');
    expect(api.page).toContain('- `times`: from 1\n- Returns the sum\n\n- Throws `GoneError` always');
    expect(api.page).toContain("```ts\nimport { Base } from 'sample';\n\nnew Base().run();\n```");
  });
});
