import {
  isClassDeclaration,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isInterfaceDeclaration,
  isObjectLiteralExpression,
  isPrivateIdentifier,
  isTypeAliasDeclaration,
  isVariableDeclaration,
  type Node,
  SyntaxKind,
  type TypeAliasDeclaration,
} from 'typescript/unstable/ast';
import { type InterfaceType, type Project, SymbolFlags, type Type } from 'typescript/unstable/sync';
import { docstringOf } from './docstring.ts';
import { mustNameErrors } from './failing-calls.ts';
import { mentionsOf } from './mentions.ts';
import type { ApiMember, ApiSymbol } from './public-api.ts';
import { isMethod, signatureOf, typeText } from './signature.ts';

/** A name that is exported, and what it stands for. */
export interface Exported {
  readonly name: string;
  readonly declaration: Node;
}

/**
 * What an exported name is.
 *
 * @param isPublic whether a name can be had from the package
 */
export function describe(project: Project, exported: Exported, isPublic: (name: string) => boolean): ApiSymbol {
  const { name, declaration } = exported;
  const common = { name, doc: docstringOf(declaration), members: [], mustNameErrors: false };
  if (isFunctionDeclaration(declaration)) {
    const signature = signatureOf(project, declaration);
    return { ...common, kind: 'function', signature, mustNameErrors: mustNameErrors(project, declaration) };
  }
  if (isClassDeclaration(declaration)) {
    const members = declaration.members.flatMap((member) => classMembers(project, declaration, member));
    return { ...common, kind: 'class', signature: signatureOf(project, declaration), members };
  }
  if (isInterfaceDeclaration(declaration)) {
    const members = declaration.members.map((member) => memberOf(project, member));
    return { ...common, kind: 'interface', signature: signatureOf(project, declaration), members };
  }
  if (isTypeAliasDeclaration(declaration))
    return { ...common, kind: 'type', ...aliased(project, declaration, isPublic) };
  if (isVariableDeclaration(declaration)) {
    const { initializer } = declaration;
    const literal = initializer && isObjectLiteralExpression(initializer) ? initializer.properties : [];
    return {
      ...common,
      kind: 'constant',
      // The docstring stands before the statement.
      doc: docstringOf(declaration.parent.parent),
      signature: literal.length > 0 ? `const ${name}` : `const ${name}: ${typeText(project, declaration)}`,
      members: literal.map((member) => memberOf(project, member)),
    };
  }
  throw new Error(`${name}: a ${SyntaxKind[declaration.kind]} is exported, which the API page does not know yet`);
}

// Fields that are parameters of the constructor are members, too.
function classMembers(project: Project, declaration: Node, member: Node): ApiMember[] {
  const { name, modifiers = [] } = member as { name?: Node; modifiers?: readonly Node[] };
  const isHidden = modifiers.some(
    ({ kind }) => kind === SyntaxKind.PrivateKeyword || kind === SyntaxKind.ProtectedKeyword,
  );
  if (isHidden || (name && isPrivateIdentifier(name))) return [];
  if (docstringOf(member).isInternal) return [];
  const inherited = inheritedNames(project, declaration);
  if (isConstructorDeclaration(member)) {
    const fields = member.parameters.filter(({ modifiers }) => modifiers?.length);
    return [memberOf(project, member), ...fields.map((field) => memberOf(project, field))];
  }
  const described = { ...memberOf(project, member), isInherited: inherited.has(name?.getText() ?? '') };
  // Every error has a name, which is that of its class.
  return described.isInherited && described.name === 'name' ? [] : [described];
}

// The names that the base classes have.
function inheritedNames({ checker }: Project, declaration: Node): Set<string> {
  const type = checker.getTypeAtLocation(declaration);
  const bases = type ? checker.getBaseTypes(type as InterfaceType) : [];
  return new Set(bases.flatMap((base) => checker.getPropertiesOfType(base).map(({ name }) => name)));
}

function memberOf(project: Project, member: Node): ApiMember {
  return {
    name: isConstructorDeclaration(member) ? 'constructor' : ((member as { name?: Node }).name?.getText() ?? ''),
    isMethod: isMethod(member),
    signature: signatureOf(project, member),
    doc: docstringOf(member),
    isInherited: false,
    mustNameErrors: mustNameErrors(project, member),
  };
}

// An alias is shown as it is written, unless it is written with names that nobody can import.
function aliased(project: Project, declaration: TypeAliasDeclaration, isPublic: (name: string) => boolean) {
  const { checker } = project;
  const head = signatureOf(project, declaration).replace(/ =.*/, '');
  const written = declaration.type.getText();
  const isUnderstood = !/\btypeof\b/.test(written) && mentionsOf(written).every(isPublic);
  if (isUnderstood)
    return { signature: `${head} =${/^[|\n]/.test(written) ? `\n  ${written}` : ` ${written}`}`, members: [] };
  const type = checker.getTypeAtLocation(declaration.name);
  if (!type) throw new Error(`${head} is of no type that the compiler knows`);
  if (!type.isUnionType() && checker.getPropertiesOfType(type).length > 0) {
    return { signature: head, members: propertiesOf(project, type) };
  }
  const alternatives = (type.isUnionType() ? type.getTypes() : undefined) ?? [type];
  const lines = alternatives.map((alternative) => `\n  | ${expanded(project, alternative)}`);
  return { signature: `${head} =${lines.join('')}`, members: [] };
}

function expanded(project: Project, type: Type): string {
  const fields = type.isObjectType() || type.isIntersectionType() ? propertiesOf(project, type) : [];
  if (fields.length === 0) return project.checker.typeToString(type).replace(/^"(.*)"$/, "'$1'");
  return `{ ${fields.map(({ signature }) => signature.replace(/^readonly /, '')).join('; ')} }`;
}

function propertiesOf(project: Project, type: Type): ApiMember[] {
  const { checker } = project;
  return checker.getPropertiesOfType(type).map((property) => {
    const declaration = property.declarations[0]?.resolve(project);
    const member = declaration && memberOf(project, declaration);
    if (!member) throw new Error(`${property.name} is declared nowhere`);
    if (declaration.kind === SyntaxKind.PropertySignature) return member;
    const isOptional = (property.flags & SymbolFlags.Optional) !== 0;
    const text = checker.typeToString(checker.getTypeOfSymbol(property) ?? type).replace(/"/g, "'");
    const shown = isOptional ? `?: ${text.replace(/ \| undefined$/, '')}` : `: ${text}`;
    return { ...member, signature: property.name + shown };
  });
}
