import { Aws, Fn, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  Group,
  type IGrantable,
  type IRole,
  ManagedPolicy,
  PrincipalWithConditions,
  Role,
  ServicePrincipal,
  SessionTagsPrincipal,
  UnknownPrincipal,
  User,
} from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Code,
  type IVersion,
  Function as LambdaFunction,
  Runtime,
  SingletonFunction,
} from 'aws-cdk-lib/aws-lambda';
import { type GrantKind, grantArns } from '../../../infra/grant-arns.ts';
import { LockService, type LockServiceProps } from '../../../infra/lock-service.ts';
import { newApp, resourcesOf, standInCode, unwatched } from './synthesized.ts';

const here = { account: '111111111111', region: 'eu-central-1' };
const kinds: readonly GrantKind[] = ['grantUse', 'grantRead', 'grantAdmin'];

function service(props: LockServiceProps = {}, env: object = here) {
  const stack = new Stack(newApp(), 'Mine', { env });
  return { stack, locks: new LockService(stack, 'Locks', { functionCode: standInCode, ...unwatched, ...props }) };
}

const newRole = (stack: Stack) =>
  new Role(stack, 'Worker', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });

function newFunction(stack: Stack, environment?: Record<string, string>): LambdaFunction {
  return new LambdaFunction(stack, 'Worker', {
    code: Code.fromInline('//'),
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    ...(environment && { environment }),
  });
}

/** What the policies of a stack say about the API. */
function apiStatements(stack: Stack): Array<Record<string, unknown>> {
  return ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy']
    .flatMap((type) => Object.values(resourcesOf(Template.fromStack(stack), type)))
    .flatMap(({ Properties }) => (Properties['PolicyDocument'] as { Statement: Record<string, unknown>[] }).Statement)
    .filter(({ Action }) => JSON.stringify(Action).includes('execute-api'));
}

describe.each(kinds)('%s', (kind) => {
  it.each([undefined, 'billing/'])('lets a role invoke exactly its routes, with prefix %j', (prefix) => {
    const { stack, locks } = service();
    locks[kind](newRole(stack), prefix === undefined ? {} : { prefix });
    const statements = apiStatements(stack);
    expect(statements).toHaveLength(1);
    expect(statements[0]).toMatchObject({ Effect: 'Allow', Action: 'execute-api:Invoke' });
    expect(new Set([statements[0]?.['Resource']].flat())).toEqual(
      new Set(stack.resolve(grantArns(kind, locks.api, '$default', prefix))),
    );
  });

  it.each<[string, (stack: Stack) => IGrantable]>([
    [
      'an imported role of the same account',
      (stack) => Role.fromRoleArn(stack, 'R', 'arn:aws:iam::111111111111:role/r'),
    ],
    ['an imported user', (stack) => User.fromUserName(stack, 'U', 'u')],
    ['a group', (stack) => new Group(stack, 'G')],
    ['a policy', (stack) => new ManagedPolicy(stack, 'P')],
    ['a function', (stack) => newFunction(stack)],
  ])('takes %s', (_, grantee) => {
    const { stack, locks } = service();
    locks[kind](grantee(stack));
    expect(apiStatements(stack)).toHaveLength(1);
  });

  it('takes a role of a stack that nobody told its account', () => {
    const { stack, locks } = service({}, {});
    locks[kind](newRole(stack));
    expect(apiStatements(stack)).toHaveLength(1);
  });

  it('refuses a role of another account, for which CDK would grant nothing and say nothing', () => {
    const { stack, locks } = service();
    const foreign = Role.fromRoleArn(stack, 'R', 'arn:aws:iam::222222222222:role/r');
    expect(() => locks[kind](foreign)).toThrow(
      `${kind}: the principal is of account 222222222222, the lock service of 111111111111.`,
    );
    expect(apiStatements(stack)).toEqual([]);
  });

  it.each([true, false])('refuses a role of a named account where the stack names none, mutable: %s', (mutable) => {
    const { stack, locks } = service({}, { region: 'eu-central-1' });
    const role = Role.fromRoleArn(stack, 'R', 'arn:aws:iam::222222222222:role/r', { mutable });
    expect(() => locks[kind](role)).toThrow(
      `${kind}: the principal is of account 222222222222, and which one the lock service is of is only known when the ` +
        "stack is deployed. Name the stack's account: new Stack(",
    );
    expect(apiStatements(stack)).toEqual([]);
  });

  it.each<[string, (stack: Stack) => IGrantable]>([
    ['by its name', (stack) => Role.fromRoleName(stack, 'R', 'r')],
    [
      'by an ARN of the stack’s own account',
      (stack) => Role.fromRoleArn(stack, 'R', `arn:aws:iam::${Aws.ACCOUNT_ID}:role/r`),
    ],
    ['by an ARN that is only known then', (stack) => Role.fromRoleArn(stack, 'R', Fn.importValue('RoleArn'))],
  ])('takes a role that was imported %s where the stack names no account', (_, role) => {
    const { stack, locks } = service({}, {});
    locks[kind](role(stack));
    expect(apiStatements(stack)).toHaveLength(1);
  });

  it('takes a role whose account is only known later where the stack names its own', () => {
    const { stack, locks } = service();
    locks[kind](Role.fromRoleArn(stack, 'R', Fn.importValue('RoleArn')));
    expect(apiStatements(stack)).toHaveLength(1);
  });

  it.each<[string, (stack: Stack) => IGrantable, string]>([
    [
      'an imported role that is not to be changed',
      (stack) => Role.fromRoleArn(stack, 'R', 'arn:aws:iam::111111111111:role/r', { mutable: false }),
      'the role was imported, or handed on, so that its policies do not change',
    ],
    [
      'a role that was handed on without its policies',
      (stack) => newRole(stack).withoutPolicyUpdates(),
      'the role was imported, or handed on, so that its policies do not change',
    ],
    [
      'an imported function without its role',
      (stack) => LambdaFunction.fromFunctionArn(stack, 'F', 'arn:aws:lambda:eu-central-1:111111111111:function:f'),
      'it was imported without its role',
    ],
    [
      'whatever else was imported without its role',
      (stack) => ({ grantPrincipal: new UnknownPrincipal({ resource: stack }) }),
      'it was imported without its role',
    ],
    [
      'a service of AWS',
      () => new ServicePrincipal('events.amazonaws.com'),
      'no policy can be attached to this principal',
    ],
  ])('refuses %s, which would be granted nothing', (_, grantee, why) => {
    const { stack, locks } = service();
    expect(() => locks[kind](grantee(stack))).toThrow(`${kind}: nothing would be granted, for ${why}. Grant it to`);
    expect(apiStatements(stack)).toEqual([]);
  });

  const onlyByTls = { Bool: { 'aws:SecureTransport': 'true' } };
  const wrappings: Array<[string, (role: IRole) => IGrantable]> = [
    ['with conditions', (role) => new PrincipalWithConditions(role, onlyByTls)],
    ['with session tags', (role) => new SessionTagsPrincipal(role)],
    ['with both', (role) => new SessionTagsPrincipal(new PrincipalWithConditions(role, onlyByTls))],
  ];
  const unchangeable: Array<[string, (stack: Stack) => IRole]> = [
    ['was imported', (stack) => Role.fromRoleArn(stack, 'R', 'arn:aws:iam::111111111111:role/r', { mutable: false })],
    ['was handed on', (stack) => newRole(stack).withoutPolicyUpdates()],
  ];
  it.each(wrappings.flatMap(([how, wrap]) => unchangeable.map(([what, roleOf]) => [what, how, roleOf, wrap] as const)))(
    'refuses a role that %s and is not to be changed %s',
    (_what, _how, roleOf, wrap) => {
      const { stack, locks } = service();
      expect(() => locks[kind](wrap(roleOf(stack)))).toThrow(
        `${kind}: nothing would be granted, for the role was imported, or handed on, so that its policies do not change`,
      );
      expect(apiStatements(stack)).toEqual([]);
    },
  );

  it.each(wrappings)('refuses a role of another account, %s', (_, wrap) => {
    const { stack, locks } = service();
    const foreign = Role.fromRoleArn(stack, 'R', 'arn:aws:iam::222222222222:role/r');
    expect(() => locks[kind](wrap(foreign))).toThrow(`${kind}: the principal is of account 222222222222`);
  });

  it('takes a role with session tags', () => {
    const { stack, locks } = service();
    locks[kind](new SessionTagsPrincipal(newRole(stack)));
    expect(apiStatements(stack)).toHaveLength(1);
  });

  it.each<[string, (role: Role) => IGrantable]>([
    ['conditions', (role) => new PrincipalWithConditions(role, onlyByTls)],
    ['conditions and session tags', (role) => new SessionTagsPrincipal(new PrincipalWithConditions(role, onlyByTls))],
  ])('refuses a role with %s, which would be granted it without them', (_, wrap) => {
    const { stack, locks } = service();
    expect(() => locks[kind](wrap(newRole(stack)))).toThrow(
      `${kind}: CDK would grant it without the conditions of the principal, got {"Bool":{"aws:SecureTransport":"true"}}. Grant it to`,
    );
    expect(apiStatements(stack)).toEqual([]);
  });

  it('takes a role with no conditions after all', () => {
    const { stack, locks } = service();
    locks[kind](new PrincipalWithConditions(newRole(stack), {}));
    expect(apiStatements(stack)).toHaveLength(1);
  });

  it('refuses everybody where tokens authorize, for a token has the same rights on every lock', () => {
    const { stack, locks } = service({
      authorization: {
        issuer: 'https://tenant.example/',
        audience: ['locks'],
        scopes: { use: 'locks/use', read: 'locks/read', admin: 'locks/admin' },
      },
    });
    expect(() => locks[kind](newRole(stack))).toThrow(`${kind}: this lock service authorizes by token, not by IAM`);
  });

  it('refuses a prefix that cannot begin a lock id', () => {
    const { stack, locks } = service();
    expect(() => locks[kind](newRole(stack), { prefix: '' })).toThrow(`${kind}: prefix must be well-formed text`);
  });
});

describe.each(kinds)('what %s is told besides', (kind) => {
  it.each<[unknown, string]>([
    ['billing/', 'options must be an object with any of prefix, got "billing/".'],
    [['billing/'], 'options must be an object with any of prefix, got ["billing/"].'],
    [null, 'options must be an object with any of prefix, got null.'],
    [{ prefixes: ['billing/'] }, 'options must have no other names than prefix, got "prefixes".'],
    [{ prefix: 'a', Prefix: 'b' }, 'options must have no other names than prefix, got "Prefix".'],
    [{ prefix: undefined }, 'prefix must be text, got nothing.'],
    [{ prefix: null }, 'prefix must be'],
  ])('must not be %j, which would grant every lock', (options, message) => {
    const { stack, locks } = service();
    expect(() => locks[kind](newRole(stack), options as never)).toThrow(`${kind}: ${message}`);
    expect(apiStatements(stack)).toEqual([]);
  });
});

describe('a function that may use locks', () => {
  const urlOf = (stack: Stack) => {
    const functions = Object.values(resourcesOf(Template.fromStack(stack), 'AWS::Lambda::Function'));
    const [worker] = functions.filter(({ Properties }) => JSON.stringify(Properties['Code']) === '{"ZipFile":"//"}');
    const environment = worker?.Properties['Environment'] as { Variables: Record<string, unknown> } | undefined;
    return environment?.Variables['HOLDFAST_URL'];
  };
  const apiEndpoint = { 'Fn::GetAtt': ['LocksApi687198B1', 'ApiEndpoint'] };

  it('is told where they are, also when it is granted more than once', () => {
    const { stack, locks } = service();
    const worker = newFunction(stack, { OTHER: 'x' });
    locks.grantUse(worker, { prefix: 'a' });
    locks.grantUse(worker, { prefix: 'b' });
    expect(urlOf(stack)).toEqual(apiEndpoint);
  });

  it.each<[string, (worker: LambdaFunction, stack: Stack) => IGrantable]>([
    [
      'an alias',
      (worker, stack) => new Alias(stack, 'Live', { aliasName: 'live', version: worker.currentVersion as IVersion }),
    ],
    ['a version', (worker) => worker.currentVersion],
  ])('is told, too, where %s of it is granted', (_, granteeOf) => {
    const { stack, locks } = service();
    locks.grantUse(granteeOf(newFunction(stack), stack));
    expect(urlOf(stack)).toEqual(apiEndpoint);
    expect(apiStatements(stack)).toHaveLength(1);
  });

  it('is told, too, where there is one of it however often it is made', () => {
    const { stack, locks } = service();
    const singleton = (id: string) =>
      new SingletonFunction(stack, id, {
        uuid: '6c3f0b1e-0000-4000-8000-000000000001',
        code: Code.fromInline('//'),
        runtime: Runtime.NODEJS_24_X,
        handler: 'index.handler',
      });
    locks.grantUse(singleton('One'));
    locks.grantUse(singleton('Other'));
    expect(urlOf(stack)).toEqual(apiEndpoint);
    expect(apiStatements(stack)).toHaveLength(1);
  });

  it('keeps the address that it has', () => {
    const { stack, locks } = service();
    locks.grantUse(newFunction(stack, { HOLDFAST_URL: 'https://locks.example.com' }));
    expect(urlOf(stack)).toBe('https://locks.example.com');
  });

  it('is told nothing by the other grants', () => {
    const { stack, locks } = service();
    const worker = newFunction(stack);
    locks.grantRead(worker);
    locks.grantAdmin(worker);
    expect(urlOf(stack)).toBeUndefined();
  });
});
