import { inspect } from 'node:util';

/** Everything that can be read out of a value: hidden properties, causes, symbols, getters, own text. */
export function everythingIn(value: unknown): string {
  const shown = inspect(value, {
    showHidden: true,
    depth: null,
    getters: true,
    maxStringLength: null,
    maxArrayLength: null,
  });
  const error = value as Partial<Error> | null;
  return [shown, error?.message, error?.stack, String(value), JSON.stringify(value)].join('\n');
}

/** Expects that none of the secrets, nor a long piece of one, can be read out of a value. */
export function expectNoSecretIn(value: unknown, ...secrets: string[]): void {
  const text = everythingIn(value);
  for (const secret of secrets) {
    for (let at = 0; at + 8 <= secret.length; at++) expect(text).not.toContain(secret.slice(at, at + 8));
  }
}
