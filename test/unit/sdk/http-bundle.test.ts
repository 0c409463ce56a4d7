import { parse } from '@babel/parser';
import traverse from '@babel/traverse';
import { bundleForHttp, type HttpBundle } from '../../support/http-bundle.ts';

// Names of the language, and of the platform as the Minimum Common Web API (WinterTC, ECMA-429) lists them: Node, Deno,
// Bun and Workers have them all.
const language = [
  'Array',
  'Date',
  'Error',
  'JSON',
  'Map',
  'Math',
  'Number',
  'Object',
  'Promise',
  'RegExp',
  'Set',
  'String',
  'Symbol',
  'TypeError',
  'Uint8Array',
  'WeakMap',
  'WeakSet',
  'decodeURIComponent',
  'encodeURIComponent',
  'globalThis',
  'undefined',
];
const platform = [
  'AbortController',
  'Headers',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'atob',
  'btoa',
  'clearInterval',
  'clearTimeout',
  'crypto',
  'fetch',
  'performance',
  'setInterval',
  'setTimeout',
];

function globalsOf(code: string): string[] {
  let names: string[] = [];
  traverse(parse(code, { sourceType: 'module' }), {
    Program({ scope }) {
      names = Object.keys((scope as unknown as { globals: object }).globals);
    },
  });
  return names;
}

const beyond = (code: string) => globalsOf(code).filter((name) => ![...language, ...platform].includes(name));

describe('the http SDK in a bundle', () => {
  let bundle: HttpBundle;
  beforeAll(async () => {
    bundle = await bundleForHttp(`export { LockFactory } from './sdk/index.ts'`, { minify: true });
  });

  it('imports nothing, neither at once nor later', () => {
    expect(bundle.imports).toEqual([]);
  });

  it('uses no global that Deno, Bun or Workers lack', () => {
    expect(beyond(bundle.code)).toEqual([]);
  });

  it('would be found using one', () => {
    expect(beyond('export const f = (x) => { const y = 1; return Buffer.from(x + y); };')).toEqual(['Buffer']);
  });

  // A ceiling just above what it is, so that a dependency or a habit that makes it grow is seen.
  it('is no larger than it was: 77,900 bytes minified, 50,900 of them our own', () => {
    const own = Object.entries(bundle.sources).filter(([path]) => !path.includes('node_modules/'));
    const ownBytes = own.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);
    expect(ownBytes).toBeGreaterThan(10_000);
    expect(ownBytes).toBeLessThanOrEqual(50_900);
    expect(Buffer.byteLength(bundle.code)).toBeLessThanOrEqual(77_900);
  });
});
