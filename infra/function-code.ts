import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { FunctionName } from '../sdk/wire/routes.ts';
import { refusal } from './refusal.ts';

/** Gives the code of each function. */
export type FunctionCode = (name: FunctionName) => Code;

// Beside this file's own bundle in the package, in the build's folder when it runs from the sources.
const bundles =
  [join(__dirname, '../functions'), join(__dirname, '../dist/functions')].find((folder) => existsSync(folder)) ??
  join(__dirname, '../dist/functions');

/**
 * Where the code of the functions comes from.
 *
 * @throws Error unless it is a function, or nothing for the bundles
 */
export function functionCodeOf(prop: FunctionCode | undefined): FunctionCode {
  if (prop === undefined) return (name) => bundledFunctionCode(name);
  if (typeof prop === 'function') return prop;
  throw refusal(
    'functionCode',
    'must be a function that gives the code of each function',
    prop,
    'Leave it out for the bundles that come with the package.',
  );
}

/**
 * The code of a function as the build left it in `dist/functions/`.
 *
 * @throws Error when the function has not been built
 */
export function bundledFunctionCode(name: FunctionName, folder: string = bundles): Code {
  const path = join(folder, name);
  if (!existsSync(join(path, 'index.mjs'))) {
    throw new Error(`The ${name} function has not been built: ${path} has no index.mjs. Run "npm run build" first.`);
  }
  // Source maps stay behind: they only make the package that every cold start loads larger.
  return Code.fromAsset(path, { exclude: ['*.map'] });
}
