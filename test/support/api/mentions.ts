// What every program has.
const everywhere = [
  'AbortSignal',
  'AsyncDisposable',
  'AsyncIterable',
  'Error',
  'Partial',
  'Pick',
  'Promise',
  'Readonly',
  'Record',
  'Symbol',
];

/** The names of types in a signature, but for those that every program has and those of type parameters, such as T. */
export function mentionsOf(signature: string): string[] {
  const withoutTexts = signature.replace(/'[^']*'/g, '');
  const names = withoutTexts.match(/(?<![\w.])[A-Z]\w+/g) ?? [];
  return [...new Set(names)].filter((name) => !everywhere.includes(name));
}
