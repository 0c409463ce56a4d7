import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markdownTable } from '../figures.ts';
import { svgOf } from './drawing/svg.ts';
import type { Result } from './workload.ts';

/** What a run found. */
export interface Report {
  /** Machine, database, seed: what the figures depend on. */
  readonly facts: readonly string[];
  readonly systems: readonly { readonly name: string; readonly sdk: string; readonly settings: string }[];
  readonly results: Readonly<Record<string, Result>>;
  /** Of the workloads that have no result. */
  readonly failures: readonly Error[];
}

/** As text for people. */
export function markdownOf({ facts, results }: Report): string {
  const figures = Object.values(results).flatMap((result) => result.figures);
  return `${facts.join('; ')}\n\n${markdownTable(figures)}\n`;
}

/** Writes `table.md`, `results.json` and a chart for each that there is, into a folder that there is. */
export async function writeReport(report: Report, folder: string): Promise<void> {
  const { facts, systems, results } = report;
  const charts = Object.values(results).flatMap((result) => result.charts ?? []);
  await Promise.all([
    writeFile(join(folder, 'table.md'), markdownOf(report)),
    writeFile(join(folder, 'results.json'), `${JSON.stringify({ facts, systems, results }, undefined, 2)}\n`),
    ...charts.map((chart) => writeFile(join(folder, `${chart.file}.svg`), svgOf(chart))),
  ]);
}
