import { type Node, parse, visit } from './import-graph.ts';

/** Which names a source uses of each package, values alone. */
export type DependencyImports = Map<string, Set<string>>;

/**
 * Adds what a source imports from packages. Of a namespace (`import * as z`) it is the members that the source uses: the
 * others are shaken off.
 */
export function addDependencyImports(imports: DependencyImports, source: string): void {
  const parsed = parse(source);
  visit(parsed, (node) => {
    if (node.type !== 'ImportDeclaration' || node['typeOnly'] === true) return;
    const name = String((node['source'] as Node).value);
    if (name.startsWith('.') || name.startsWith('node:')) return;
    const used = (node['specifiers'] as Node[]).flatMap((specifier) => namesOf(specifier, parsed));
    imports.set(name, new Set([...(imports.get(name) ?? []), ...used]));
  });
}

function namesOf(specifier: Node, parsed: Node): string[] {
  const local = (specifier['local'] as Node).value;
  switch (specifier.type) {
    case 'ImportSpecifier':
      return specifier['isTypeOnly'] === true
        ? []
        : [(specifier['imported'] as Node | null)?.value ?? local].map(String);
    case 'ImportNamespaceSpecifier':
      return membersOf(String(local), parsed);
    default:
      return ['default'];
  }
}

// In a type it would be another kind of node.
function membersOf(namespace: string, parsed: Node): string[] {
  const members: string[] = [];
  visit(parsed, (node) => {
    if (node.type === 'MemberExpression' && (node['object'] as Node).value === namespace) {
      members.push(String((node['property'] as Node).value));
    }
  });
  return members;
}

/** A source that imports all of it, and does nothing else. */
export function entryThatImports(imports: DependencyImports): string {
  return [...imports]
    .map(([name, names], index) => {
      const used = [...names].map((each) => `${each} as d${index}_${each}`);
      return `export { ${used.join(', ')} } from '${name}';`;
    })
    .join('\n');
}
