import type { Figure } from './figures.ts';

/** One part of the benchmark: starts what it needs, measures, and leaves nothing running. */
export type Part = (options: { readonly quick: boolean }) => Promise<Figure[]>;
