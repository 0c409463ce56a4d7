/**
 * Prints what tests ask of the public API of the package in a folder, as JSON: `tsx test/support/api/print.ts FOLDER`. (A
 * program of its own, because the compiler is an ES module, and jest loads CommonJS.)
 */
import { resolve } from 'node:path';
import { apiPage } from './api-page.ts';
import { docstringFaults } from './docstring-faults.ts';
import { publicApi } from './public-api.ts';

const [, , root = '.'] = process.argv;
const entries = publicApi(resolve(root));
process.stdout.write(JSON.stringify({ entries, faults: docstringFaults(entries), page: apiPage(entries) }));
