import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { LockService } from '../../../infra/lock-service.ts';
import { newApp, standInCode, synthesize, unwatched } from './synthesized.ts';

const readme = readFileSync(join(__dirname, '../../../infra/README.md'), 'utf8');

function commandsAfter(marker: string): string {
  const [, commands] = new RegExp(`<!-- ${marker}.*-->\\n *\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(readme) ?? [];
  if (commands === undefined) throw new Error(`no commands after ${marker}`);
  return commands;
}

/** Lists a template's resources as the AWS CLI lists a stack's, with logical ids for names, and notes all else. */
const aws = `#!/bin/sh
case "$1 $2" in
  'cloudformation list-stack-resources') cat "$FOLDER/resources" ;;
  'apigatewayv2 get-api') echo "https://$4" ;;
  'lambda get-function-configuration') echo "table of $4" ;;
  *) echo "$@" ;;
esac
`;

/** Has no options that only GNU's has, as on macOS. */
const date = `#!/bin/sh
case "$*" in
  *-d*|*--date*) echo 'date: illegal option' >&2; exit 1 ;;
esac
PATH=\${PATH#*:} exec date "$@"
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-runbook-'));
  for (const [name, program] of Object.entries({ aws, date })) {
    writeFileSync(join(folder, name), program);
    chmodSync(join(folder, name), 0o755);
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs commands in a shell that has begun as the runbook says, but for its first line. */
function run(template: Template, locks: string, commands: string): string[] {
  const resources = Object.entries(template.toJSON()['Resources'] as Record<string, { Type: string }>);
  writeFileSync(
    join(folder, 'resources'),
    resources.map(([id, { Type }]) => `${Type}\t${id}\tname-of-${id}\n`).join(''),
  );
  const begin = commandsAfter("the runbook's shell").replace('locks=Locks ', `locks=${locks} `);
  const { stdout, stderr } = spawnSync('sh', ['-c', `${begin}\n${commands}`], {
    encoding: 'utf8',
    env: { PATH: `${folder}:${process.env['PATH']}`, FOLDER: folder, AWS_REGION: 'eu-central-1' },
  });
  expect(stderr).toBe('');
  return stdout.trimEnd().split('\n');
}

/** An app of one's own: two lock services, one of them further down, among functions of other kinds. */
function ownTemplate(): Template {
  const stack = new Stack(newApp(), 'Mine');
  const worker = (id: string) =>
    new LambdaFunction(stack, id, {
      code: Code.fromInline('//'),
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
    });
  for (const id of ['Worker', 'Lease', 'LocksAcquirer', 'MyLocks']) worker(id);
  new LogGroup(stack, 'Logs');
  const props = { functionCode: standInCode, ...unwatched };
  new LockService(stack, 'Locks', props);
  new LockService(new Construct(stack, 'Other'), 'Locks', props);
  return Template.fromStack(stack);
}

const templates: Array<[string, () => Template, string]> = [
  ['the ready stack', () => synthesize().template, 'Locks'],
  ['a lock service in an app of one’s own', ownTemplate, 'Locks'],
  ['a lock service below another scope', ownTemplate, 'OtherLocks'],
];

describe.each(templates)('the runbook’s shell, for %s', (_, templateOf, locks) => {
  const named = (...parts: string[]) =>
    parts.map((part) => expect.stringMatching(new RegExp(`^name-of-${locks}${part}[0-9A-F]{8}$`)));
  const sorted = (lines: readonly string[]) => [...lines].sort();

  it('finds its address, its table and its three functions', () => {
    const [url, table, ...functions] = run(templateOf(), locks, '');
    expect(url).toMatch(new RegExp(`^https://name-of-${locks}Api[0-9A-F]{8}$`));
    expect(table).toMatch(new RegExp(`^table of name-of-${locks}Lease[0-9A-F]{8}$`));
    expect(sorted(functions)).toEqual(named('Acquire', 'Admin', 'Lease'));
  });

  it('stops and starts those three functions and no other', () => {
    const [, , , , , ...done] = run(templateOf(), locks, commandsAfter('stopping everything'));
    const told = (action: string) =>
      sorted(
        done.filter((line) => line.includes(action)).map((line) => line.replace(/^.*--function-name (\S+).*$/, '$1')),
      );
    expect(done).toHaveLength(6);
    for (const action of ['put-function-concurrency', 'delete-function-concurrency']) {
      expect(told(action)).toEqual(named('Acquire', 'Admin', 'Lease'));
    }
  });

  it('asks for what was throttled in the last hour: of each function, and of the table', () => {
    const [, , , , , ...asked] = run(templateOf(), locks, commandsAfter('what was throttled'));
    const of = asked.map((line) => /Name=(\w+),Value=(.*)$/.exec(line)?.slice(1).join(' ') ?? line);
    expect(of.map((each) => each.split(' ')[0])).toEqual([...Array(3).fill('FunctionName'), 'TableName']);
    for (const line of asked) {
      const [, start, end] = /--start-time (\d+) --end-time (\d+) --period 300 /.exec(line) ?? [];
      expect(Number(end) - Number(start)).toBeGreaterThanOrEqual(3_600);
      expect(Math.abs(Number(end) * 1_000 - Date.now())).toBeLessThan(120_000);
    }
  });

  it('knows its logs', () => {
    const [, , , , , ...logs] = run(templateOf(), locks, 'printf "%s\\n" $logs');
    expect(sorted(logs)).toEqual(named('AccessLog', 'AcquireLogs', 'AdminLogs', 'LeaseLogs'));
  });
});
