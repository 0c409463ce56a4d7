import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { newApp } from './synthesized.ts';

describe('the apps of tests', () => {
  it('write into one folder of the test file, each for itself', () => {
    const [one, other] = [newApp(), newApp()];
    expect(dirname(one.outdir)).toBe(dirname(other.outdir));
    expect(one.outdir).not.toBe(other.outdir);
    expect(dirname(one.outdir).startsWith(join(tmpdir(), 'holdfast-cdk-'))).toBe(true);
  });

  it('are made in one place, which removes what they wrote', () => {
    const making = readdirSync(__dirname)
      .filter((name) => name.endsWith('.ts') && join(__dirname, name) !== __filename)
      .filter((name) => /\bnew App[(]/.test(readFileSync(join(__dirname, name), 'utf8')));
    expect(making).toEqual(['synthesized.ts']);
  });
});
