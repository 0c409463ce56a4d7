import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cyclesIn,
  importGraph,
  importsIn,
  loadedWith,
  readsEnvironment,
  sourcesIn,
  specifiersIn,
} from '../support/import-graph.ts';
import { importRules, mayReadEnvironment, violations } from './import-rules.ts';

const root = join(__dirname, '..', '..');
const files = sourcesIn(root, ['sdk', 'lambda', 'infra']);
const graph = importGraph(root, files);

const isOfDynamoDb = (file: string) =>
  /^@(aws-sdk|smithy)\//.test(file) || (file.startsWith('lambda/store/') && !file.endsWith('/memory-lock-store.ts'));

describe('the sources', () => {
  it('are seen: files and imports of every part', () => {
    for (const part of [
      'sdk/wire/',
      'sdk/',
      'lambda/service/',
      'lambda/store/',
      'lambda/http/',
      'lambda/local/',
      'infra/',
    ]) {
      expect(files.some((file) => file.startsWith(part))).toBe(true);
      expect(graph.some(({ from }) => from.startsWith(part))).toBe(true);
    }
  });

  it('are covered by exactly one rule each', () => {
    const covered = files.map((file) => [file, importRules.filter(({ covers }) => covers(file)).length]);
    expect(covered.filter(([, rules]) => rules !== 1)).toEqual([]);
  });

  it('import one another only in the directions that the layout allows', () => {
    expect(violations(graph)).toEqual([]);
  });

  it('import one another in no circle, not even for types', () => {
    expect(cyclesIn(graph)).toEqual([]);
  });

  it('load nothing of DynamoDB with the locks in memory', () => {
    const loaded = loadedWith('sdk/memory.ts', graph);
    expect(loaded).toContain('lambda/store/memory-lock-store.ts');
    expect(loaded.filter(isOfDynamoDb)).toEqual([]);
    expect(loadedWith('sdk/embedded.ts', graph).filter(isOfDynamoDb)).not.toEqual([]);
  });

  it('load neither memory nor DynamoDB before an address names it', () => {
    const loaded = loadedWith('sdk/auto.ts', graph);
    expect(loaded).toContain('sdk/http/http-backend.ts');
    expect(loaded.filter((file) => /^(lambda|sdk\/in-process)\//.test(file) || isOfDynamoDb(file))).toEqual([]);
    expect(graph).toContainEqual({ from: 'sdk/auto.ts', to: 'sdk/memory.ts', loads: 'later' });
    expect(graph).toContainEqual({ from: 'sdk/auto.ts', to: 'sdk/embedded.ts', loads: 'later' });
  });

  it('load of the command only what every command needs, the rest once it is named', () => {
    const loaded = loadedWith('sdk/cli/main.ts', graph);
    expect(loaded).toContain('sdk/cli/program.ts');
    expect(loaded.filter((file) => /^(lambda\/|@aws-sdk\/|sdk\/cli\/(run|connect|list|take))/.test(file))).toEqual([]);
    expect(graph).toContainEqual({ from: 'sdk/cli/main.ts', to: 'sdk/cli/local.ts', loads: 'later' });
    expect(graph).toContainEqual({ from: 'sdk/cli/program.ts', to: 'sdk/cli/run/run.ts', loads: 'later' });
  });

  it('read the environment of the process only where they are allowed to', () => {
    const readers = files.filter((file) => readsEnvironment(readFileSync(join(root, file), 'utf8')));
    expect(readers.filter((file) => !mayReadEnvironment(file))).toEqual([]);
    expect(readers).toEqual(expect.arrayContaining(['lambda/acquire.ts', 'lambda/lease.ts', 'lambda/admin.ts']));
  });
});

describe('a rule', () => {
  const examples = importRules.flatMap((rule) =>
    [...rule.refuses, [rule.refuses[0]?.[0] ?? '', 'test/support/lock-items.ts'] as const].map(
      ([from, to]) => [from, to, rule.part] as const,
    ),
  );

  it.each(examples)('finds that %s imports %s', (from, to, part) => {
    expect(violations([{ from, to }])).toEqual([`${from} imports ${to}: ${part}`]);
  });

  it('finds the one import among many that is not allowed', () => {
    const madeUp = [
      { from: 'lambda/http/a.ts', to: 'lambda/service/b.ts' },
      { from: 'lambda/service/b.ts', to: 'lambda/http/c.ts' },
      { from: 'lambda/http/a.ts', to: 'sdk/wire/limits.ts' },
    ];
    expect(violations(madeUp)).toEqual([
      expect.stringMatching(/^lambda\/service\/b\.ts imports lambda\/http\/c\.ts: /),
    ]);
  });

  it.each(['lambda/new-folder/a.ts', 'scripts/a.ts'])('is missed for a file in a new place: %s', (from) => {
    expect(violations([{ from, to: 'zod' }])).toEqual([`${from} imports zod: no rule covers this file`]);
  });

  it('is not fooled by a folder whose name begins like another', () => {
    expect(violations([{ from: 'lambda/http/a.ts', to: 'lambda/service-x/b.ts' }])).toHaveLength(1);
    expect(violations([{ from: 'sdk/wire/a.ts', to: 'zod-extras' }])).toHaveLength(1);
  });
});

describe('a circle', () => {
  const edges = (...pairs: string[]) => pairs.map((pair) => ({ from: pair[0] ?? '', to: pair[1] ?? '' }));

  it.each([
    ['of one', edges('aa'), [['a']]],
    ['of two', edges('ab', 'ba'), [['a', 'b']]],
    ['of three behind others', edges('xa', 'ab', 'bc', 'ca', 'cy'), [['a', 'b', 'c']]],
    [
      'beside another',
      edges('ab', 'ba', 'cd', 'dc'),
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
  ])('%s is found', (_, madeUp, cycles) => {
    expect(cyclesIn(madeUp)).toEqual(cycles);
  });

  it('is not seen where two ways lead to one file', () => {
    expect(cyclesIn(edges('ab', 'ac', 'bd', 'cd'))).toEqual([]);
  });
});

describe('an import', () => {
  it.each([
    ["import a from './a.ts';"],
    ["import * as a from './a.ts';"],
    ["import { a } from './a.ts';"],
    ["import './a.ts';"],
    ["import type { A } from './a.ts';"],
    ["import { type A } from './a.ts';"],
    ["export { a } from './a.ts';"],
    ["export type { A } from './a.ts';"],
    ["export * from './a.ts';"],
    ["export * as a from './a.ts';"],
    ["type A = import('./a.ts').A;"],
    ["let a: typeof import('./a.ts');"],
    ["const a = await import('./a.ts');"],
    ['const a = () => import(`./a.ts`);'],
    ["import a = require('./a.ts');"],
    ["const a = require('./a.ts');"],
    ["const a = require.resolve('./a.ts');"],
    ["const a = import.meta.resolve('./a.ts');"],
  ])('is seen: %s', (source) => {
    expect(specifiersIn(source)).toEqual(['./a.ts']);
  });

  it.each(['const a = import(path);', "const a = require('./' + path);"])(
    'of a computed path is seen as such: %s',
    (source) => {
      expect(specifiersIn(source)).toEqual(['(computed)']);
    },
  );

  it.each(["const a = './a.ts';", "// import './a.ts'", 'export const a = 1;', "declare module './a.ts' {}"])(
    'is not seen where there is none: %s',
    (source) => {
      expect(specifiersIn(source)).toEqual([]);
    },
  );
});

describe('what is imported', () => {
  it.each([
    ["import { a } from './a.ts';", undefined],
    ["import './a.ts';", undefined],
    ["import { type A } from './a.ts';", undefined],
    ["export * from './a.ts';", undefined],
    ["const a = require('./a.ts');", undefined],
    ["const a = await import('./a.ts');", 'later'],
    ["import type { A } from './a.ts';", 'never'],
    ["export type { A } from './a.ts';", 'never'],
    ["let a: typeof import('./a.ts');", 'never'],
  ])('is known to be loaded at once, later or never: %s', (source, loads) => {
    expect(importsIn(source)).toEqual([{ specifier: './a.ts', loads }]);
  });

  it('is loaded with the file that imports it, over others too, unless later or never', () => {
    const madeUp = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'c', to: 'a' },
      { from: 'b', to: 'd', loads: 'later' as const },
      { from: 'b', to: 'e', loads: 'never' as const },
      { from: 'd', to: 'f' },
    ];
    expect(loadedWith('a', madeUp).sort()).toEqual(['a', 'b', 'c']);
  });
});

describe('the environment', () => {
  it.each([
    'const a = process.env.A;',
    "const a = process['env'];",
    'const a = globalThis.process?.env ?? {};',
    'const a = process?.env;',
    'const a = (process as any).env;',
    'const { env } = process;',
    'const other = process;',
    "import { env } from 'node:process';",
    "import process from 'process';",
    'f(process.env);',
  ])('is read by %s', (source) => {
    expect(readsEnvironment(source)).toBe(true);
  });

  it.each([
    'const a = import.meta.env;',
    'const a = config.env;',
    'process.exitCode = 1;',
    '// process.env',
    "f('process.env');",
  ])('is not read by %s', (source) => {
    expect(readsEnvironment(source)).toBe(false);
  });
});
