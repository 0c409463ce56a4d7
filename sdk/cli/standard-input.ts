import { text } from 'node:stream/consumers';

/** All of the standard input, as text. */
export function standardInput(): Promise<string> {
  return text(process.stdin);
}
