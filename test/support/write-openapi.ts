/** Writes `sdk/wire/openapi.json` from the contract's schemas: `tsx test/support/write-openapi.ts`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApiDocument } from '../../sdk/wire/openapi.ts';

const target = join(import.meta.dirname, '..', '..', 'sdk', 'wire', 'openapi.json');

writeFile(target, `${JSON.stringify(openApiDocument(), null, 2)}\n`).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
