import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awsCredentials } from '../../../../sdk/cli/credentials.ts';

let folder: string;
let environment: NodeJS.ProcessEnv;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-credentials-'));
  environment = { ...process.env };
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  // Nothing of this machine, and no wait for an instance role.
  Object.assign(process.env, {
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
    PATH: `${folder}:${process.env['PATH']}`,
  });
});
afterEach(() => {
  process.env = environment;
  rmSync(folder, { recursive: true });
});

/** The AWS command, as far as it is asked here: prints this, and notes that it ran. */
function installAws(prints: string): void {
  writeFileSync(join(folder, 'aws'), `#!/bin/sh\necho "$*" >> ${folder}/calls\ncat <<'EOF'\n${prints}\nEOF\n`, {
    mode: 0o755,
  });
}
const printed = (expiration: Date) =>
  JSON.stringify({ Version: 1, AccessKeyId: 'AK', SecretAccessKey: 'SK', SessionToken: 'ST', Expiration: expiration });

it('come from a profile, as AWS’s SDK finds them', async () => {
  writeFileSync(join(folder, 'credentials'), '[work]\naws_access_key_id = PROFILE\naws_secret_access_key = S\n');
  process.env['AWS_PROFILE'] = 'work';
  expect(await awsCredentials()()).toMatchObject({ accessKeyId: 'PROFILE', secretAccessKey: 'S' });
});

it('else come from AWS’s own command, and are asked for again only when they are about to end', async () => {
  const source = awsCredentials();
  installAws(printed(new Date(Date.now() + 3_600_000)));
  expect(await source()).toMatchObject({ accessKeyId: 'AK', secretAccessKey: 'SK', sessionToken: 'ST' });
  installAws(printed(new Date(Date.now() + 60_000)).replace('AK', 'AK2'));
  expect(await source()).toMatchObject({ accessKeyId: 'AK' });
  const short = awsCredentials();
  expect(await short()).toMatchObject({ accessKeyId: 'AK2' });
  installAws(printed(new Date(Date.now() + 3_600_000)).replace('AK', 'AK3'));
  expect(await short()).toMatchObject({ accessKeyId: 'AK3' });
});

it.each(['', 'not json', '{"Version":1}'])(
  'are none when the command prints %j: the error names every place, and no secret',
  async (prints) => {
    installAws(prints);
    await expect(awsCredentials()()).rejects.toThrow(
      /set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, .*AWS_PROFILE.*"aws configure export-credentials"/,
    );
  },
);

it('are looked for again after they were not there', async () => {
  const source = awsCredentials();
  await expect(source()).rejects.toThrow('no AWS credentials');
  installAws(printed(new Date(Date.now() + 3_600_000)));
  expect(await source()).toMatchObject({ accessKeyId: 'AK' });
});
