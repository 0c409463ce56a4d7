import { getTextOfJSDocComment, isJSDocParameterTag, type JSDoc, type Node } from 'typescript/unstable/ast';

/** What a docstring says. */
export interface Docstring {
  /** Before the first tag; '' when there is none. */
  readonly text: string;
  readonly params: readonly string[];
  readonly returns: readonly string[];
  readonly throws: readonly string[];
  readonly examples: readonly string[];
  readonly isInternal: boolean;
}

/** The docstring right before a declaration. Of several the last counts, as for the compiler. */
export function docstringOf(declaration: Node): Docstring {
  const block = declaration.jsDoc?.at(-1) as JSDoc | undefined;
  const tags = [...(block?.tags ?? [])].map((tag) => ({
    name: tag.tagName.text,
    text: withoutLinks(getTextOfJSDocComment(tag.comment)),
    parameter: isJSDocParameterTag(tag) ? `${tag.name.getText()} ` : '',
  }));
  const textsOf = (...names: string[]) =>
    tags.filter(({ name }) => names.includes(name)).map(({ text, parameter }) => parameter + text);
  return {
    text: withoutLinks(getTextOfJSDocComment(block?.comment)),
    params: textsOf('param'),
    returns: textsOf('returns'),
    throws: textsOf('throws'),
    examples: textsOf('example'),
    isInternal: tags.some(({ name }) => name === 'internal'),
  };
}

function withoutLinks(text = ''): string {
  return text.replace(/\{@link ([^}]+)\}/g, '`$1`').trim();
}
