import { handlerTime } from './handler-time.ts';
import { measuredOperations } from './measured-operations.ts';
import { measuredWaiting } from './measured-waiting.ts';
import { runParts } from './run-parts.ts';

// Whether the cost model (`npm run costs`) counts what is really consumed: targets are what the model says.

runParts('bench:costs', { operations: measuredOperations, hours: measuredWaiting, handler: handlerTime });
