/**
 * What the entries of the package export, read from the sources by the compiler itself.
 *
 * The compiler's interface for programs is marked as unstable: a new minor version of TypeScript may need changes here. The
 * alternative, a second compiler beside the one that checks the project, could disagree with it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API, type Project, SymbolFlags } from 'typescript/unstable/sync';
import { describe, type Exported } from './declarations.ts';
import type { Docstring } from './docstring.ts';

/** An entry of the package, such as `holdfast/memory`. */
export interface ApiEntry {
  readonly name: string;
  readonly symbols: readonly ApiSymbol[];
}

/** An exported name. */
export interface ApiSymbol {
  readonly name: string;
  readonly kind: 'class' | 'function' | 'interface' | 'type' | 'constant';
  /** As it is declared, without bodies; members of classes and interfaces are apart. */
  readonly signature: string;
  readonly doc: Docstring;
  readonly members: readonly ApiMember[];
  /** It rejects, throws, or calls what is documented to throw. */
  readonly mustNameErrors: boolean;
}

/** A public property or method. */
export interface ApiMember {
  readonly name: string;
  readonly isMethod: boolean;
  readonly signature: string;
  readonly doc: Docstring;
  /** It redeclares what a base class has, and may leave the docstring to it. */
  readonly isInherited: boolean;
  /** It rejects, throws, or calls what is documented to throw. */
  readonly mustNameErrors: boolean;
}

interface Manifest {
  readonly name: string;
  readonly exports: Record<string, { readonly import?: { readonly types?: string } }>;
}

/**
 * Reads the entries of the package in a folder: those of `exports` in its package.json whose sources lie in `sdk/`.
 *
 * @throws Error for an entry that `tsconfig.types.json` does not build
 */
export function publicApi(root: string): ApiEntry[] {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const entries = Object.entries(exports).flatMap(([path, { import: conditions }]) => {
    const source = conditions?.types?.match(/(?<=^\.\/dist\/types\/esm\/)sdk\/.*(?=\.d\.ts$)/)?.[0];
    return source ? [{ name: name + path.slice(1), file: join(root, `${source}.ts`) }] : [];
  });
  const compiler = new API({ cwd: root });
  try {
    const [project] = compiler.updateSnapshot({ openProjects: [join(root, 'tsconfig.types.json')] }).getProjects();
    if (!project) throw new Error(`${root} has no tsconfig.types.json that the compiler can read`);
    const found = entries.map(({ name: entry, file }) => ({ name: entry, exported: exportedBy(project, file) }));
    const names = new Set(found.flatMap(({ exported }) => exported.map((each) => each.name)));
    return found.map(({ name: entry, exported }) => ({
      name: entry,
      symbols: exported.map((each) => describe(project, each, (other) => names.has(other))),
    }));
  } finally {
    compiler.close();
  }
}

function exportedBy(project: Project, file: string): Exported[] {
  const { program, checker } = project;
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} exports nothing, or tsconfig.types.json does not include it`);
  return checker.getExportsOfModule(module).map((symbol) => {
    const target = symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const declaration = target.declarations[0]?.resolve(project);
    if (!declaration) throw new Error(`${symbol.name} is exported and declared nowhere`);
    return { name: symbol.name, declaration };
  });
}
