import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { areas, equivalents, mutants } from './areas.ts';
import { MutantError, mutated } from './mutant.ts';

const root = join(__dirname, '../..');

describe('a mutant', () => {
  const source = 'export const one = 1;\nexport const two = 1 + 1;\n';
  const inSource = (find: string, replace: string) => () => mutated(source, { file: 'a.ts', find, replace });

  it('replaces the one place where its text is, letter for letter', () => {
    expect(inSource('1 + 1', '$$')()).toBe('export const one = 1;\nexport const two = $$;\n');
  });

  it.each([
    ['nowhere', 'three', 0],
    ['in two places', 'export const', 2],
    ['empty', '', 0],
  ])('whose text is %s says that the sources changed', (_, find, times) => {
    expect(inSource(find, 'x')).toThrow(MutantError);
    expect(inSource(find, 'x')).toThrow(`is in a.ts ${times} times and must be there once: the sources changed`);
  });

  it('that is no TypeScript is refused', () => {
    expect(inSource('1 + 1', '(1 + ')).toThrow('a.ts is no TypeScript');
  });

  it('that changes nothing is refused', () => {
    expect(inSource('1 + 1', '1 + 1')).toThrow('changes nothing');
  });
});

describe('the list of mutants', () => {
  const listed = [...mutants, ...equivalents];

  it('has each name once for each file', () => {
    const names = listed.map(({ name, file }) => `${file}: ${name}`);
    expect(names).toEqual([...new Set(names)]);
  });

  it('fits the sources as they are', () => {
    for (const each of listed) {
      expect(() => mutated(readFileSync(join(root, each.file), 'utf8'), each)).not.toThrow();
    }
  });

  it('is summed up in the README of the tests', () => {
    const readme = readFileSync(join(root, 'test/README.md'), 'utf8');
    const rows = Object.entries(areas).map(([area, { length }]) => `| \`${area}\` | ${length} |`);
    expect(rows.filter((row) => !readme.includes(row))).toEqual([]);
  });

  it('puts faults into sources, never into tests', () => {
    expect(listed.filter(({ file }) => !/^(lambda|sdk|infra)\//.test(file))).toEqual([]);
  });
});
