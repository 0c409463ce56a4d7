import type { Hunted } from './hunt.ts';

/** One line of the table: what became of it, the mutant, its file, the test that caught it, how long that took. */
export function row({ mutant: { name, file, caughtBy }, verdict, seconds }: Hunted): string {
  const first = `${verdict.kind.padEnd(8)} | ${name} | ${file}`;
  const time = `${seconds.toFixed(1)} s`;
  switch (verdict.kind) {
    case 'caught':
      return `${first} | ${caughtBy.file}: ${verdict.test} | ${time}\n`;
    case 'survived':
      return `${first} | not noticed by ${caughtBy.file}: ${caughtBy.test} | ${time}\n`;
    case 'invalid':
      return `${first} | ${caughtBy.file}: ${caughtBy.test} | ${time} | ${verdict.reason}\n`;
  }
}

/**
 * What a run came to.
 *
 * @param left how many mutants were left out, because their tests take long
 * @param equivalents how many faults are listed that no test can notice
 */
export function summaryOf(hunted: readonly Hunted[], { left, equivalents }: { left: number; equivalents: number }) {
  const missed = hunted.filter(({ verdict }) => verdict.kind !== 'caught');
  const caught = hunted.length - missed.length;
  const lines = [
    `${hunted.length} mutants: ${caught} caught, ${missed.length} not`,
    ...missed.map(({ mutant, verdict }) => `  ${verdict.kind}: ${mutant.name} (${mutant.file})`),
    ...(left > 0 ? [`${left} whose tests take long were left out: npm run mutants -- --all`] : []),
    ...(equivalents > 0 ? [`${equivalents} listed that cannot be noticed, and why, are not counted`] : []),
  ];
  // A run without any mutant shows nothing.
  const exitCode = caught > 0 && missed.length === 0 ? 0 : 1;
  return { caught, missed: missed.length, text: lines.join('\n'), exitCode };
}
