import { importsFor } from './example-imports.ts';
import type { ApiEntry, ApiMember, ApiSymbol } from './public-api.ts';

/** The API page in Markdown: every entry, every exported name, every public member. */
export function apiPage(entries: readonly ApiEntry[]): string {
  const sections = entries.flatMap((entry) => [
    `## ${entry.name}`,
    ...inOrder(entry.symbols).flatMap((symbol) => symbolSection(entries, entry, symbol)),
  ]);
  return `${[...introduction, ...entries.map(contents), ...sections].join('\n\n')}\n`;
}

const introduction = [
  '# API',
  '<!-- Written by `npm run api` from the docstrings of the sources: change those, not this page. -->',
  'Every name that the package exports, entry by entry: its signature, what it does, what it throws, an example. How the parts work together, and why, is in [README.md](README.md).',
  'Methods that return a promise never throw: they reject with the errors that are listed. Names ending in `Ms` are milliseconds, a `fencingToken` is a whole number from 1. In the examples, `locks` is a `LockFactory`, `lock` a `Lock`, `lease` a `Lease`; what has no import stands for your own code.',
];

const kinds: readonly ApiSymbol['kind'][] = ['class', 'function', 'constant', 'interface', 'type'];

function inOrder(symbols: readonly ApiSymbol[]): ApiSymbol[] {
  const isError = ({ name }: ApiSymbol) => name.endsWith('Error');
  const others = symbols.filter((symbol) => !isError(symbol));
  return [...kinds.flatMap((kind) => others.filter((symbol) => symbol.kind === kind)), ...symbols.filter(isError)];
}

function contents({ name, symbols }: ApiEntry): string {
  const links = inOrder(symbols).map(
    (symbol) => `[${symbol.name}](#${heading(symbol).toLowerCase().replace(' ', '-')})`,
  );
  return `**${name}**: ${links.join(', ')}`;
}

function heading({ kind, name }: ApiSymbol): string {
  return `${kind} ${name}`;
}

function symbolSection(entries: readonly ApiEntry[], entry: ApiEntry, symbol: ApiSymbol): string[] {
  const isProperty = ({ isMethod }: ApiMember) => !isMethod;
  const methods = symbol.members.filter(({ isMethod }) => isMethod);
  return [
    `### ${heading(symbol)}`,
    ...described(entries, entry, symbol),
    symbol.members.filter(isProperty).map(property).join('\n'),
    ...methods.flatMap((method) => [`#### ${symbol.name}: ${method.name}`, ...described(entries, entry, method)]),
  ].filter((paragraph) => paragraph !== '');
}

function described(entries: readonly ApiEntry[], entry: ApiEntry, { signature, doc }: ApiSymbol | ApiMember): string[] {
  return [
    // `typescript`, not `ts`: what is marked `ts` is an example, and compiled by a test.
    `\`\`\`typescript\n${signature}\n\`\`\``,
    doc.text,
    [...doc.params.map(parameter), ...doc.returns.map((text) => `- Returns ${flat(text)}`)].join('\n'),
    doc.throws.map(thrown).join('\n'),
    ...doc.examples.map((code) => `\`\`\`ts\n${importsFor(entries, entry, code)}${code}\n\`\`\``),
  ];
}

function property({ signature, doc, isInherited }: ApiMember): string {
  const text = isInherited && doc.text === '' ? '' : `: ${flat(doc.text)}`;
  const throws = doc.throws.map((error) => ` Throws ${flat(error)}.`);
  return `- \`${signature.replace(/^(abstract )?readonly /, '')}\`${text}${throws.join('')}`;
}

function parameter(text: string): string {
  return `- ${flat(text).replace(/^(\S+) /, '`$1`: ')}`;
}

function thrown(text: string): string {
  return `- Throws ${flat(text).replace(/\b[A-Z]\w*Error\b/g, '`$&`')}`;
}

// One bullet is one line; a list in a docstring goes on in the same one.
function flat(text: string): string {
  return text
    .replace(/^- /, '')
    .replace(/\.?\n+- /g, '; ')
    .replace(/\s+/g, ' ');
}
