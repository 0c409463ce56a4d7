import { runBenchCommand } from '../run-bench-command.ts';
import { buildHoldfast } from './built.ts';
import { installRivals } from './installation.ts';
import { parseOptions, usage } from './options.ts';
import { foldersOf, makeFolders } from './report-folder.ts';

// `npm run bench`: measures Holdfast beside its floor and its rivals. A missed target is shown, and is no error.

runBenchCommand(usage, async (argv) => {
  // npm starts its scripts in the folder of the package, wherever it was called.
  const options = parseOptions(argv, process.env['INIT_CWD'] ?? process.cwd());
  await makeFolders(foldersOf(options));
  installRivals();
  await buildHoldfast();
  // Loads the rivals, so not before they are there.
  const { bench } = await import('./command.ts');
  await bench(options, __filename);
});
