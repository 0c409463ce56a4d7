import type { ApiEntry } from './public-api.ts';

/** The import lines that an example needs and does not have: docstrings leave out those that anybody could write. */
export function importsFor(entries: readonly ApiEntry[], home: ApiEntry, code: string): string {
  const used = new Set(withoutTextsAndComments(code).match(/(?<![\w$])(?<!(?<!\.\.)\.)[A-Za-z_]\w*/g));
  const known = new Set(code.match(/^import .*$/gm)?.flatMap((line) => line.match(/\w+/g) ?? []));
  // What several entries export is meant of the entry that the example belongs to.
  const lines = [home, ...entries].map(({ name, symbols }) => {
    const wanted = symbols.filter((symbol) => used.has(symbol.name) && !known.has(symbol.name));
    for (const symbol of wanted) known.add(symbol.name);
    const isType = (kind: string) => kind === 'interface' || kind === 'type';
    const imported = wanted.map((symbol) => `${isType(symbol.kind) ? 'type ' : ''}${symbol.name}`);
    return imported.length > 0 ? `import { ${imported.join(', ')} } from '${name}';\n` : '';
  });
  const imports = lines.join('');
  return imports === '' || code.startsWith('import ') ? imports : `${imports}\n`;
}

function withoutTextsAndComments(code: string): string {
  return code.replace(/'[^'\n]*'|\/\/.*$/gm, '');
}
