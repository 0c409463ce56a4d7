import { inspect } from 'node:util';
import { killAll } from '../processes.ts';
import { buildHoldfast } from './built.ts';
import { installRivals } from './installation.ts';

// `npm run bench`: measures Holdfast beside its floor and its rivals. A missed target is shown, and is no error.

async function main(): Promise<void> {
  // Between the figures the AWS SDK's warning about this Node would be in the way.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  installRivals();
  await buildHoldfast();
  // Loads the rivals, so not before they are there.
  const { bench } = await import('./command.ts');
  await bench(process.argv.slice(2), __filename);
}

process.once('SIGINT', () => {
  killAll();
  process.exit(130);
});
main().then(
  () => process.exit(0),
  (error: unknown) => {
    killAll();
    process.stderr.write(`\nthe benchmark failed: ${inspect(error, { depth: 6 })}\n`);
    process.exit(1);
  },
);
