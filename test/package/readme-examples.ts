import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One example of a page, as a module that a compiler can check. */
export interface ReadmeExample {
  readonly file: string;
  /** Line of the page on which it begins. */
  readonly line: number;
  readonly module: string;
}

// What the examples leave to the reader: everything that stands for the reader's own code.
const prelude = `
declare const locks: import('holdfast').LockFactory;
declare const lock: import('holdfast').Lock;
declare const lease: import('holdfast').Lease;
declare const report: () => Promise<void>;
declare const url: string;
declare const credentials: import('holdfast').Credentials;
declare const accessToken: () => Promise<string>;
declare const alarm: (text: string) => void;
declare const book: (...args: any[]) => any;
declare const a: () => void;
declare const b: () => void;
declare const id: string;
declare const lockId: string;
declare const readFile: (path: string, encoding: string) => Promise<string>;
declare const writeFile: (path: string, text: string, options: object) => Promise<void>;
declare const balance: number;
declare const event: any;
declare const source: string;
declare const store: (rows: unknown, options: { fencingToken: number }) => Promise<void>;
declare const worker: import('aws-cdk-lib/aws-lambda').Function;
declare const documents: import('@aws-sdk/lib-dynamodb').DynamoDBDocumentClient;
`;

const usualImports = {
  LockFactory: `import { LockFactory } from 'holdfast';`,
  Lease: `import type { Lease } from 'holdfast';`,
  fencing: `import { fencing } from 'holdfast';`,
  registry: `import { registry } from 'holdfast';`,
  UpdateCommand: `import { UpdateCommand } from '@aws-sdk/lib-dynamodb';`,
};

/** Every example in TypeScript of a page. Imports stand first; the rest becomes the body of a function. */
export function readmeExamples(file: string): ReadmeExample[] {
  const text = readFileSync(join(__dirname, '../..', file), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ 1: code = '', index }) => {
    const lines = code.split('\n');
    const imports = lines.filter((line) => line.startsWith('import '));
    const body = lines.filter((line) => !line.startsWith('import '));
    const line = text.slice(0, index).split('\n').length + 1;
    const ownImports = new Set(imports.flatMap((each) => each.match(/\w+/g) ?? []));
    const usual = Object.entries(usualImports).flatMap(([name, each]) => (ownImports.has(name) ? [] : [each]));
    const module = `${[...usual, ...imports].join('\n')}\n${prelude}\nexport async function example(): Promise<unknown> {\n${body.join('\n')}\nreturn undefined;\n}\n`;
    return { file, line, module };
  });
}
