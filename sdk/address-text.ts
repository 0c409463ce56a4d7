/** The URL that a text is to the letter. A parser drops white space in silence, and goes on with another address. */
export function urlIn(text: string): URL | undefined {
  return URL.canParse(text) && !/[\s\p{Cc}]/u.test(text) ? new URL(text) : undefined;
}

/** An address for the text of an error: without what stands before an `@`, and in a query or fragment. */
export function withoutSecrets(address: string): string {
  return address.replace(/[?#].*$/s, (rest) => `${rest.charAt(0)}…`).replace(/[^/]*@/g, '…@');
}
