import { isCallExpression, isNewExpression, isThrowStatement, type Node } from 'typescript/unstable/ast';
import type { Project } from 'typescript/unstable/sync';
import { docstringOf } from './docstring.ts';

/** Whether a function, as far as its own text tells, rejects or throws: its docstring has to say what. */
export function mustNameErrors(project: Project, declaration: Node): boolean {
  const { body, type, initializer } = declaration as { body?: Node; type?: Node; initializer?: Node };
  if (body && type?.getText().startsWith('Promise<')) return true;
  const run = body ?? initializer;
  return run !== undefined && fails(project, run);
}

function fails(project: Project, node: Node): boolean {
  if (isThrowStatement(node)) return true;
  if (isCallExpression(node) || isNewExpression(node)) {
    const called = project.checker.getResolvedSignature(node)?.declaration;
    // Not what the language brings along: `JSON.stringify` throws for circular objects only.
    const declared = called?.path.endsWith('.d.ts') ? undefined : called?.resolve(project);
    if (declared && docstringOf(declared).throws.length > 0) return true;
  }
  return node.forEachChild((child) => fails(project, child) || undefined) ?? false;
}
