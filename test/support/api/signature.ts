import {
  isArrowFunction,
  isGetAccessorDeclaration,
  isModifier,
  isPropertyDeclaration,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { NodeBuilderFlags, type Project } from 'typescript/unstable/sync';

// What says something to the compiler, or to the author, and nothing to the caller.
const unsaid = [SyntaxKind.ExportKeyword, SyntaxKind.AsyncKeyword, SyntaxKind.OverrideKeyword];

/** The parts of a declaration that signatures are made of, whichever of them it has. */
interface Parts extends Node {
  readonly modifiers?: readonly Node[];
  readonly name?: Node;
  readonly questionToken?: Node;
  readonly postfixToken?: Node;
  readonly type?: Node;
  readonly body?: Node;
  readonly members?: { readonly pos: number };
  readonly initializer?: Node;
}

/** A declaration as the caller sees it, on one line: with the defaults of its parameters, without its body. */
export function signatureOf(project: Project, declaration: Node): string {
  const parts: Parts = declaration;
  const modifiers = (parts.modifiers ?? []).filter((each) => isModifier(each) && !unsaid.includes(each.kind));
  const written = modifiers.map((each) => each.getText());
  const { initializer } = parts;
  if (initializer && isFunctionField(declaration))
    return onOneLine(`${name(parts)}${headOf(initializer).replace(/\s*=>\s*$/, '')}`);
  if (isGetAccessorDeclaration(declaration)) written.push('readonly');
  const head = isProperty(declaration) ? `${name(parts)}: ${typeOf(project, parts)}` : headOf(parts);
  return onOneLine([...written, head].join(' '));
}

/** A type, as it would be written. */
export function typeText(project: Project, node: Node): string {
  const type = project.checker.getTypeAtLocation(node);
  const flags = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.UseSingleQuotesForStringLiteralType;
  return type ? project.checker.typeToString(type, node, flags) : 'unknown';
}

/** Whether a member is called, and not read. */
export function isMethod(member: Node): boolean {
  return !isProperty(member) || isFunctionField(member);
}

// Such as `readonly assertHeld = () => …`.
function isFunctionField(member: Node): boolean {
  return isPropertyDeclaration(member) && member.initializer !== undefined && isArrowFunction(member.initializer);
}

function isProperty(declaration: Node): boolean {
  return [
    SyntaxKind.PropertyDeclaration,
    SyntaxKind.PropertySignature,
    SyntaxKind.PropertyAssignment,
    SyntaxKind.GetAccessor,
    SyntaxKind.Parameter,
  ].includes(declaration.kind);
}

function name({ name, questionToken, postfixToken }: Parts): string {
  return `${name?.getText() ?? ''}${(questionToken ?? postfixToken)?.getText() ?? ''}`;
}

function typeOf(project: Project, { type, name, initializer }: Parts): string {
  return type?.getText() ?? typeText(project, initializer ?? (name as Node));
}

// From behind the modifiers to the body.
function headOf(declaration: Parts): string {
  const source = declaration.getSourceFile();
  const from = declaration.modifiers?.at(-1)?.end ?? declaration.getStart(source);
  const end =
    declaration.body?.getStart(source) ?? (declaration.members ? declaration.members.pos - 1 : declaration.end);
  return source.text.slice(from, end);
}

function onOneLine(text: string): string {
  const withoutComments = text.replace(/\/\*.*?\*\//gs, '');
  return withoutComments.replace(/\s+/g, ' ').replace(/\( /g, '(').replace(/,? \)/g, ')').replace(/;$/, '').trim();
}
