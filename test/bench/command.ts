import { runParts } from './run-parts.ts';
import { startUp } from './start-up.ts';

// What the holdfast command costs beside a program of one's own.

runParts('bench:command', { startUp });
