import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hunt } from './hunt.ts';
import type { Mutant } from './mutant.ts';
import { row, summaryOf } from './table.ts';

const root = join(__dirname, '../..');
const file = 'sdk/wire/owner-token.ts';
const tests = 'test/unit/sdk/wire/owner-token.test.ts';

const halfAsRandom: Mutant = {
  name: 'half of it is always the same',
  why: 'it can be guessed',
  file,
  find: 'toBase64Url(crypto.getRandomValues(new Uint8Array(16)))',
  replace: 'toBase64Url(crypto.getRandomValues(new Uint8Array(8))) + toBase64Url(new Uint8Array(8))',
  caughtBy: { file: tests, test: 'carries all 128 random bits' },
};
// Its test looks at something else.
const weak: Mutant = {
  ...halfAsRandom,
  name: 'weak',
  caughtBy: { file: tests, test: 'is 22 characters of base64url' },
};
const outdated: Mutant = { ...halfAsRandom, name: 'outdated', find: 'Math.random()' };
const illMade: Mutant = { ...halfAsRandom, name: 'ill made', replace: 'noSuchName()' };
const untested: Mutant = {
  ...halfAsRandom,
  name: 'untested',
  caughtBy: { file: tests, test: 'no test is called this' },
};

it('a hunt catches what its tests notice, and fails for whatever survives or does not fit, leaving the sources alone', async () => {
  const source = readFileSync(join(root, file), 'utf8');

  const hunted = await hunt(root, [halfAsRandom, weak, outdated, illMade, untested], { jobs: 2, withinMs: 60_000 });

  const verdicts = Object.fromEntries(hunted.map(({ mutant, verdict }) => [mutant.name, verdict]));
  expect(verdicts).toEqual({
    [halfAsRandom.name]: { kind: 'caught', test: 'owner token carries all 128 random bits' },
    weak: { kind: 'survived' },
    outdated: { kind: 'invalid', reason: expect.stringContaining('the sources changed') },
    'ill made': { kind: 'invalid', reason: expect.stringContaining('noSuchName') },
    untested: { kind: 'invalid', reason: 'no test of that name was run' },
  });
  expect(readFileSync(join(root, file), 'utf8')).toBe(source);

  const caught = hunted.filter(({ mutant }) => mutant === halfAsRandom);
  const withWeak = hunted.filter(({ mutant }) => mutant === halfAsRandom || mutant === weak);
  expect(summaryOf(caught, { left: 0, equivalents: 0 })).toMatchObject({ caught: 1, missed: 0, exitCode: 0 });
  const { text, ...counts } = summaryOf(withWeak, { left: 3, equivalents: 0 });
  expect(counts).toEqual({ caught: 1, missed: 1, exitCode: 1 });
  expect(text).toContain(`survived: weak (${file})`);
  expect(text).toContain('3 whose tests take long were left out');
  expect(withWeak.map(row).join('')).toContain(`not noticed by ${tests}: is 22 characters of base64url`);
});

it('no mutant at all is no success', () => {
  expect(summaryOf([], { left: 0, equivalents: 0 }).exitCode).toBe(1);
});
