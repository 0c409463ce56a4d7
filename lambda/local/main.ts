import { runLocalStack } from './command.ts';

// Functions that wait for locks are still running when the stack has stopped: it has to exit, it would not run out.
void runLocalStack(process.argv.slice(2)).then((exitCode) => process.exit(exitCode));
