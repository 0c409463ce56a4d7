import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { bundledFunctionCode } from '../../../infra/function-code.ts';
import { newApp } from './synthesized.ts';

describe('bundledFunctionCode', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-infra-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('says what to do when the function has not been built', () => {
    expect(() => bundledFunctionCode('lease', folder)).toThrow(
      `The lease function has not been built: ${join(folder, 'lease')} has no index.mjs. Run "npm run build" first.`,
    );
  });

  it('deploys the bundle without its source map', () => {
    mkdirSync(join(folder, 'lease'));
    writeFileSync(join(folder, 'lease/index.mjs'), 'export const handler = async () => {};');
    writeFileSync(join(folder, 'lease/index.mjs.map'), '{}');
    const app = newApp();
    new LambdaFunction(new Stack(app, 'Any'), 'Lease', {
      code: bundledFunctionCode('lease', folder),
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
    });
    const assembly = app.synth().directory;
    const [asset, ...others] = readdirSync(assembly).filter((name) => name.startsWith('asset.'));
    expect(others).toEqual([]);
    expect(readdirSync(join(assembly, asset ?? ''))).toEqual(['index.mjs']);
  });
});
