import type { Docstring } from './docstring.ts';
import { mentionsOf } from './mentions.ts';
import type { ApiEntry, ApiMember, ApiSymbol } from './public-api.ts';

const needsExample: readonly ApiSymbol['kind'][] = ['class', 'function', 'interface'];

/** What the docstrings of the public API lack, each fault naming the symbol; nothing when all is well. */
export function docstringFaults(entries: readonly ApiEntry[]): string[] {
  const names = new Set(entries.flatMap(({ symbols }) => symbols.map(({ name }) => name)));
  return entries.flatMap((entry) =>
    entry.symbols.flatMap((symbol) => faultsOf(`${entry.name} ${symbol.name}`, symbol, names)),
  );
}

function faultsOf(name: string, symbol: ApiSymbol, names: ReadonlySet<string>): string[] {
  const ownExamples = symbol.doc.examples.length > 0;
  return [
    ...commonFaults(name, symbol, names),
    ...(needsExample.includes(symbol.kind) && !ownExamples ? [`${name}: no @example`] : []),
    ...symbol.members.flatMap((member) => memberFaults(`${name}.${member.name}`, member, names)),
  ];
}

function memberFaults(name: string, member: ApiMember, names: ReadonlySet<string>): string[] {
  if (member.isInherited && isEmpty(member.doc)) return mentionFaults(name, member.signature, names);
  const hasNoUnit = /Ms$/.test(member.name) && !/millisecond/i.test(member.doc.text);
  return [
    ...commonFaults(name, member, names),
    ...(hasNoUnit ? [`${name}: does not say that it is in milliseconds`] : []),
  ];
}

function commonFaults(name: string, described: ApiSymbol | ApiMember, names: ReadonlySet<string>): string[] {
  const { doc, signature, mustNameErrors } = described;
  const errors = doc.throws.flatMap((text) => text.match(/\b[A-Z]\w*Error\b/g) ?? []);
  return [
    ...(doc.text === '' ? [`${name}: no docstring`] : []),
    ...(mustNameErrors && doc.throws.length === 0 ? [`${name}: no @throws, though it rejects or throws`] : []),
    ...errors.filter((error) => !names.has(error)).map((error) => `${name}: @throws ${error}, which is not exported`),
    ...mentionFaults(name, signature, names),
  ];
}

function mentionFaults(name: string, signature: string, names: ReadonlySet<string>): string[] {
  return mentionsOf(signature)
    .filter((type) => !names.has(type))
    .map((type) => `${name}: its signature shows ${type}, which is not exported`);
}

function isEmpty({ text, throws, examples }: Docstring): boolean {
  return text === '' && throws.length === 0 && examples.length === 0;
}
