/** Writes `sdk/API.md` from the docstrings of what the package exports: `npm run api`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiPage } from './api-page.ts';
import { publicApi } from './public-api.ts';

const root = join(import.meta.dirname, '..', '..', '..');

writeFile(join(root, 'sdk', 'API.md'), apiPage(publicApi(root))).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
