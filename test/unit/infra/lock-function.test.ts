import { environmentNames } from '../../../lambda/names.ts';
import { limits } from '../../../sdk/wire/limits.ts';
import type { FunctionName } from '../../../sdk/wire/routes.ts';
import { resourcesOf, synthesize } from './synthesized.ts';

const { stack, template } = synthesize();
const functions = resourcesOf(template, 'AWS::Lambda::Function');

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
}

/** What a function's role may do, and on what. */
function permissions(name: FunctionName): Array<{ actions: string[]; resource: unknown }> {
  const role = stack.locks.functions[name].role;
  if (!role) throw new Error(`the ${name} function has no role`);
  const roleId = stack.resolve(role.roleName).Ref;
  return Object.values(resourcesOf(template, 'AWS::IAM::Policy'))
    .filter(({ Properties }) => JSON.stringify(Properties['Roles']) === JSON.stringify([{ Ref: roleId }]))
    .flatMap(({ Properties }) => (Properties['PolicyDocument'] as { Statement: Statement[] }).Statement)
    .map(({ Action, Resource }) => ({ actions: [Action].flat(), resource: Resource }));
}

function propertiesOf(name: FunctionName): Record<string, unknown> {
  const [properties, ...others] = Object.values(functions)
    .map((resource) => resource.Properties)
    .filter(({ Code }) => (Code as { ZipFile?: string }).ZipFile === `// ${name}`);
  if (!properties || others.length > 0) throw new Error(`not exactly one function runs the code of ${name}`);
  return properties;
}

describe('the functions', () => {
  it('are the three of the contract and no other', () => {
    expect(Object.keys(functions)).toHaveLength(3);
  });

  it.each([
    ['acquire', 28, 128],
    ['lease', 10, 256],
    ['admin', 10, 256],
  ] as const)('%s has %i s and %i MB', (name, Timeout, MemorySize) => {
    expect(propertiesOf(name)).toMatchObject({ Timeout, MemorySize });
  });

  describe.each(['acquire', 'lease', 'admin'] as const)('%s', (name) => {
    const properties = propertiesOf(name);

    it('runs on Node.js 24 on arm64', () => {
      expect(properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
      });
    });

    it('knows its table, the longest lease, the longest line, that IAM authorizes, and which lock service it is of', () => {
      expect(properties['Environment']).toEqual({
        Variables: {
          [environmentNames.table]: { Ref: 'LocksTable84FB9352' },
          [environmentNames.maxLeaseMs]: String(limits.maxLeaseMs.default),
          [environmentNames.lineLimit]: String(limits.lineLimit.default),
          [environmentNames.authorization]: 'iam',
          [environmentNames.service]: 'Holdfast-Locks-23B4750D',
        },
      });
    });

    it('writes JSON to a log group of its own that forgets after a month, and no line per successful call', () => {
      const logGroup = stack.resolve(stack.locks.functions[name].logGroup.logGroupName).Ref;
      expect(properties['LoggingConfig']).toEqual({
        LogFormat: 'JSON',
        LogGroup: { Ref: logGroup },
        ApplicationLogLevel: 'INFO',
        SystemLogLevel: 'WARN',
      });
      expect(resourcesOf(template, 'AWS::Logs::LogGroup')[logGroup]?.Properties).toEqual({ RetentionInDays: 30 });
    });

    it('may do exactly what it does: its DynamoDB calls on the table, and writing its log', () => {
      const scan = name === 'admin' ? ['dynamodb:Scan'] : [];
      const logGroup = stack.resolve(stack.locks.functions[name].logGroup.logGroupName).Ref;
      expect(permissions(name)).toEqual([
        {
          actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          resource: { 'Fn::GetAtt': [logGroup, 'Arn'] },
        },
        {
          actions: ['dynamodb:GetItem', ...scan, 'dynamodb:UpdateItem'],
          resource: { 'Fn::GetAtt': ['LocksTable84FB9352', 'Arn'] },
        },
      ]);
    });
  });

  it('have roles with no rights but those of their policies', () => {
    const roles = Object.values(resourcesOf(template, 'AWS::IAM::Role'));
    expect(roles).toHaveLength(3);
    for (const { Properties } of roles) expect(Object.keys(Properties)).toEqual(['AssumeRolePolicyDocument']);
  });

  it('have no log group that is kept for ever', () => {
    const groups = Object.values(resourcesOf(template, 'AWS::Logs::LogGroup'));
    expect(groups).toHaveLength(4);
    for (const { Properties } of groups) expect(Properties['RetentionInDays']).toBe(30);
  });
});
