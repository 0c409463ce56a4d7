import { importing } from './importing.ts';
import { runParts } from './run-parts.ts';

// What a cold start costs: how long a fresh process takes to load a function, without what Lambda itself adds.

runParts('bench:cold', { importing }, 'bundles as they are deployed');
