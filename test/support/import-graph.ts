import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { parseSync } from '@swc/core';

/** One import of one file: of whatever kind, for values or for types. */
export interface Import {
  readonly from: string;
  /** A file's path from the root of the repository, or a package's name (`zod`, `node:fs`). */
  readonly to: string;
  /** Present unless the target is loaded with the file: `import()` loads it later, a type is not loaded at all. */
  readonly loads?: 'later' | 'never';
}

/** Stands for an import whose target only the running program knows. */
export const computed = '(computed)';

/** A node of a parsed source. */
export interface Node {
  readonly type?: string;
  readonly value?: unknown;
  readonly [member: string]: unknown;
}

/** Everything that a source imports: as it is written in imports, re-exports, type imports, dynamic imports, requires. */
export function specifiersIn(source: string): string[] {
  return importsIn(source).map(({ specifier }) => specifier);
}

/** The same, with when each is loaded. */
export function importsIn(source: string): ({ readonly specifier: string } & Pick<Import, 'loads'>)[] {
  const imports: ({ specifier: string } & Pick<Import, 'loads'>)[] = [];
  visit(parse(source), (node) => {
    if (
      node.type === 'ImportDeclaration' ||
      node.type === 'ExportAllDeclaration' ||
      node.type === 'ExportNamedDeclaration'
    ) {
      const isType = node['typeOnly'] === true;
      if (node['source']) imports.push({ specifier: textOf(node['source']), ...(isType && { loads: 'never' }) });
    }
    if (node.type === 'TsImportType') imports.push({ specifier: textOf(node['argument']), loads: 'never' });
    if (node.type === 'TsExternalModuleReference') imports.push({ specifier: textOf(node['expression']) });
    if (node.type === 'CallExpression' && isImporter(node['callee'] as Node)) {
      const [first] = node['arguments'] as { expression: Node }[];
      const isDynamic = (node['callee'] as Node).type === 'Import';
      imports.push({ specifier: textOf(first?.expression), ...(isDynamic && { loads: 'later' }) });
    }
  });
  return imports;
}

/** Whether a source reads the environment of the process, or hands the process on to where that cannot be seen. */
export function readsEnvironment(source: string): boolean {
  let reads = false;
  visit(parse(source), (node) => {
    if (node.type === 'MemberExpression' && nameOf(node['property']) === 'env' && isProcess(node['object'] as Node))
      reads = true;
    if (node.type === 'VariableDeclarator' && isProcess(node['init'] as Node)) reads = true;
    if (node.type === 'ImportDeclaration' && /^(node:)?process$/.test(textOf(node['source']))) reads = true;
  });
  return reads;
}

/** The TypeScript files in these folders, paths from the root. */
export function sourcesIn(root: string, folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
}

/** The imports of every file, relative ones resolved. Throws when one leads nowhere: the graph would have a hole. */
export function importGraph(root: string, files: readonly string[]): Import[] {
  return files.flatMap((from) =>
    importsIn(readFileSync(join(root, from), 'utf8')).map(({ specifier, ...loads }) => {
      if (!specifier.startsWith('.')) return { from, to: packageOf(specifier), ...loads };
      const to = relative('', normalize(join(dirname(from), specifier)));
      if (!existsSync(join(root, to))) throw new Error(`${from} imports ${specifier}, and there is no ${to}`);
      return { from, to, ...loads };
    }),
  );
}

/** Every file and package that is loaded together with a file: itself, and what it and they import to be loaded at once. */
export function loadedWith(file: string, graph: readonly Import[]): string[] {
  const loaded = new Set<string>();
  const open = [file];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (loaded.has(next)) continue;
    loaded.add(next);
    open.push(...graph.filter(({ from, loads }) => from === next && loads === undefined).map(({ to }) => to));
  }
  return [...loaded];
}

/** The cycles of a graph: groups of files each of which reaches the others, and files that import themselves. */
export function cyclesIn(graph: readonly Import[]): string[][] {
  const reached = new Map<string, Set<string>>();
  const targets = (file: string) => graph.filter(({ from }) => from === file).map(({ to }) => to);
  for (const { from } of graph) {
    if (reached.has(from)) continue;
    const seen = new Set<string>();
    const open = targets(from);
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...targets(next));
    }
    reached.set(from, seen);
  }
  const cycles = new Map<string, string[]>();
  for (const [file, seen] of reached) {
    if (!seen.has(file)) continue;
    const group = [...seen].filter((other) => reached.get(other)?.has(file)).sort();
    cycles.set(group.join(), group);
  }
  return [...cycles.values()];
}

function packageOf(specifier: string): string {
  if (specifier === computed || specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

export function parse(source: string): Node {
  return parseSync(source, { syntax: 'typescript', target: 'es2022', decorators: true }) as unknown as Node;
}

/** Shows every node below a value, itself included. */
export function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const each of value) visit(each, see);
  else if (typeof value === 'object' && value !== null) {
    see(value as Node);
    visit(Object.values(value), see);
  }
}

// A literal, a template without expressions, or something that only the running program knows.
function textOf(node: unknown): string {
  const { type, value, quasis } = (node ?? {}) as Node & { quasis?: { cooked?: string; raw: string }[] };
  if (type === 'StringLiteral') return String(value);
  if (type === 'TemplateLiteral' && quasis?.length === 1) return quasis[0]?.cooked ?? computed;
  return computed;
}

// import(…), require(…), require.resolve(…), import.meta.resolve(…)
function isImporter(callee: Node): boolean {
  if (callee.type === 'Import') return true;
  if (callee.type === 'MemberExpression' && nameOf(callee['property']) === 'resolve') {
    const { type, value, kind } = callee['object'] as Node;
    return (type === 'Identifier' && value === 'require') || (type === 'MetaProperty' && kind === 'import.meta');
  }
  return callee.type === 'Identifier' && callee.value === 'require';
}

function nameOf(property: unknown): unknown {
  const { type, value, expression } = (property ?? {}) as Node;
  return type === 'Computed'
    ? nameOf(expression)
    : type === 'Identifier' || type === 'StringLiteral'
      ? value
      : undefined;
}

// process, globalThis.process, in parentheses, under a type assertion or behind ?.
function isProcess(node: Node | undefined | null): boolean {
  if (!node) return false;
  if (node.type === 'Identifier') return node.value === 'process';
  if (node.type === 'MemberExpression') return nameOf(node['property']) === 'process';
  if (node.type === 'OptionalChainingExpression') return isProcess(node['base'] as Node);
  if (node.type === 'ParenthesisExpression' || node.type === 'TsAsExpression' || node.type === 'TsNonNullExpression') {
    return isProcess(node['expression'] as Node);
  }
  return false;
}
