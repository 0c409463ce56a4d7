import type { Import } from '../support/import-graph.ts';

/** What the files of one part may import. */
export interface ImportRule {
  readonly part: string;
  readonly covers: (file: string) => boolean;
  readonly may: (target: string) => boolean;
  /** Imports that this rule must refuse: each shows that the rule can fail. */
  readonly refuses: readonly (readonly [from: string, to: string])[];
}

const within =
  (...folders: string[]) =>
  (path: string) =>
    folders.some((folder) => path.startsWith(`${folder}/`));
const oneOf =
  (...paths: string[]) =>
  (path: string) =>
    paths.includes(path);
const any =
  (...tests: ((path: string) => boolean)[]) =>
  (path: string) =>
    tests.some((test) => test(path));

const nodeBuiltIn = (target: string) => target.startsWith('node:');
const awsSdk = (target: string) => target.startsWith('@aws-sdk/') || target.startsWith('@smithy/');
const directlyIn = (folder: string) => (path: string) => path.startsWith(`${folder}/`) && path.split('/').length === 2;

const sdkSpecial = any(
  within('sdk/wire', 'sdk/cli', 'sdk/examples', 'sdk/in-process'),
  oneOf('sdk/memory.ts', 'sdk/embedded.ts', 'sdk/auto.ts', 'sdk/opentelemetry.ts'),
);
const sdkCore = (path: string) => within('sdk')(path) && !sdkSpecial(path);
const sharedWithInfra = oneOf('lambda/names.ts', 'lambda/throttles.ts');
const entries = oneOf('lambda/acquire.ts', 'lambda/lease.ts', 'lambda/admin.ts');

/** The directions in which the parts may import one another. Every source file is covered by exactly one rule. */
export const importRules: readonly ImportRule[] = [
  {
    part: 'sdk/wire imports only itself and the schema library',
    covers: within('sdk/wire'),
    may: any(within('sdk/wire'), oneOf('zod')),
    refuses: [
      ['sdk/wire/a.ts', 'sdk/errors.ts'],
      ['sdk/wire/a.ts', 'lambda/service/timing.ts'],
      ['sdk/wire/a.ts', 'aws4fetch'],
      ['sdk/wire/a.ts', 'node:crypto'],
    ],
  },
  {
    part: 'sdk imports only itself, the contract, the schema library and the signer',
    covers: sdkCore,
    may: any(sdkCore, within('sdk/wire'), oneOf('zod', 'aws4fetch')),
    refuses: [
      ['sdk/lock.ts', 'lambda/service/timing.ts'],
      ['sdk/http/transport.ts', 'lambda/names.ts'],
      ['sdk/index.ts', 'sdk/memory.ts'],
      ['sdk/index.ts', 'sdk/embedded.ts'],
      ['sdk/lock-factory.ts', 'sdk/in-process/in-process-backend.ts'],
      ['sdk/lock.ts', 'sdk/cli/main.ts'],
      ['sdk/lock.ts', 'sdk/examples/demo/demo.ts'],
      ['sdk/lock.ts', 'node:crypto'],
      ['sdk/lock.ts', '@aws-sdk/client-dynamodb'],
      ['sdk/lock.ts', '(computed)'],
    ],
  },
  {
    part: 'sdk/in-process imports also the lock rules and the stores',
    covers: within('sdk/in-process'),
    may: any(sdkCore, within('sdk/in-process', 'sdk/wire', 'lambda/service', 'lambda/store')),
    refuses: [
      ['sdk/in-process/a.ts', 'lambda/http/response.ts'],
      ['sdk/in-process/a.ts', 'sdk/memory.ts'],
      ['sdk/in-process/a.ts', '@aws-sdk/client-dynamodb'],
    ],
  },
  {
    part: 'sdk/memory.ts imports also the lock rules and the store in memory',
    covers: oneOf('sdk/memory.ts'),
    may: any(
      sdkCore,
      within('sdk/in-process', 'sdk/wire', 'lambda/service'),
      oneOf('lambda/store/memory-lock-store.ts'),
    ),
    refuses: [
      ['sdk/memory.ts', 'lambda/http/handler.ts'],
      ['sdk/memory.ts', 'lambda/store/dynamodb-lock-store.ts'],
      ['sdk/memory.ts', '@aws-sdk/client-dynamodb'],
    ],
  },
  {
    part: 'sdk/embedded.ts imports also the lock rules, the stores and the AWS SDK',
    covers: oneOf('sdk/embedded.ts'),
    may: any(sdkCore, within('sdk/in-process', 'sdk/wire', 'lambda/service', 'lambda/store'), awsSdk),
    refuses: [
      ['sdk/embedded.ts', 'lambda/http/handler.ts'],
      ['sdk/embedded.ts', 'lambda/lease.ts'],
    ],
  },
  {
    part: 'sdk/opentelemetry.ts imports the events, and OpenTelemetry’s API',
    covers: oneOf('sdk/opentelemetry.ts'),
    may: oneOf('sdk/events.ts', 'sdk/http/traceparent.ts', '@opentelemetry/api'),
    refuses: [
      ['sdk/opentelemetry.ts', 'sdk/lock-factory.ts'],
      ['sdk/opentelemetry.ts', '@opentelemetry/sdk-trace-base'],
    ],
  },
  {
    part: 'sdk/auto.ts imports the SDK in all its forms',
    covers: oneOf('sdk/auto.ts'),
    may: any(sdkCore, within('sdk/wire'), oneOf('sdk/memory.ts', 'sdk/embedded.ts')),
    refuses: [
      ['sdk/auto.ts', 'lambda/store/memory-lock-store.ts'],
      ['sdk/auto.ts', 'sdk/in-process/in-process-backend.ts'],
      ['sdk/auto.ts', 'sdk/cli/main.ts'],
    ],
  },
  {
    part: 'sdk/cli imports the public SDK, the local stack’s command, and where credentials come from',
    covers: within('sdk/cli'),
    may: any(
      within('sdk/cli'),
      oneOf('sdk/index.ts', 'sdk/auto.ts', 'lambda/local/command.ts', 'package.json'),
      oneOf('commander', '@aws-sdk/credential-providers'),
      nodeBuiltIn,
    ),
    refuses: [
      ['sdk/cli/main.ts', 'sdk/lock.ts'],
      ['sdk/cli/main.ts', 'sdk/wire/label.ts'],
      ['sdk/cli/main.ts', 'lambda/service/lock-service.ts'],
      ['sdk/cli/local.ts', 'lambda/local/local-stack.ts'],
      ['sdk/cli/credentials.ts', '@aws-sdk/client-dynamodb'],
    ],
  },
  {
    part: 'sdk/examples import the public SDK, Node, and the AWS SDK for tables of their own',
    covers: within('sdk/examples'),
    may: any(
      within('sdk/examples'),
      oneOf('sdk/index.ts', '@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'),
      nodeBuiltIn,
    ),
    refuses: [
      ['sdk/examples/demo/demo.ts', 'sdk/lock.ts'],
      ['sdk/examples/demo/demo.ts', 'sdk/wire/routes.ts'],
      ['sdk/examples/demo/demo.ts', 'lambda/local/local-stack.ts'],
      ['sdk/examples/demo/demo.ts', 'zod'],
      ['sdk/examples/demo/demo.ts', '@smithy/core'],
      ['sdk/examples/demo/demo.ts', 'sdk/embedded.ts'],
    ],
  },
  {
    part: 'lambda/service imports nothing outside',
    covers: within('lambda/service'),
    may: within('lambda/service'),
    refuses: [
      ['lambda/service/a.ts', 'lambda/store/memory-lock-store.ts'],
      ['lambda/service/a.ts', 'sdk/wire/limits.ts'],
      ['lambda/service/a.ts', 'node:timers'],
      ['lambda/service/a.ts', '@aws-sdk/client-dynamodb'],
    ],
  },
  {
    part: 'lambda/store imports the lock rules and the AWS SDK',
    covers: within('lambda/store'),
    may: any(within('lambda/store', 'lambda/service'), awsSdk),
    refuses: [
      ['lambda/store/a.ts', 'lambda/http/handler.ts'],
      ['lambda/store/a.ts', 'sdk/wire/limits.ts'],
      ['lambda/store/a.ts', 'lambda/names.ts'],
      ['lambda/store/a.ts', 'node:crypto'],
    ],
  },
  {
    part: 'lambda/http imports the lock rules, the names, the contract with its schema library, and the types of events',
    covers: within('lambda/http'),
    may: any(within('lambda/http', 'lambda/service', 'sdk/wire'), oneOf('lambda/names.ts', 'zod', 'aws-lambda')),
    refuses: [
      ['lambda/http/a.ts', 'lambda/store/memory-lock-store.ts'],
      ['lambda/http/a.ts', 'lambda/environment.ts'],
      ['lambda/http/a.ts', 'lambda/emitted-metrics.ts'],
      ['lambda/http/a.ts', 'sdk/errors.ts'],
      ['lambda/http/a.ts', '@aws-sdk/client-dynamodb'],
    ],
  },
  {
    part: 'lambda/names.ts imports nothing',
    covers: oneOf('lambda/names.ts'),
    may: () => false,
    refuses: [
      ['lambda/names.ts', 'sdk/wire/limits.ts'],
      ['lambda/names.ts', 'lambda/environment.ts'],
    ],
  },
  {
    part: 'lambda/throttles.ts imports the contract',
    covers: oneOf('lambda/throttles.ts'),
    may: within('sdk/wire'),
    refuses: [
      ['lambda/throttles.ts', 'lambda/service/timing.ts'],
      ['lambda/throttles.ts', 'infra/throttles.ts'],
      ['lambda/throttles.ts', 'zod'],
    ],
  },
  {
    part: 'lambda’s entries and their wiring import lambda, the contract, the AWS SDK and Powertools',
    covers: (file) => directlyIn('lambda')(file) && !sharedWithInfra(file),
    may: (target) =>
      (within('lambda')(target) && !within('lambda/local')(target)) ||
      within('sdk/wire', '@aws-lambda-powertools')(target) ||
      awsSdk(target) ||
      nodeBuiltIn(target),
    refuses: [
      ['lambda/lease.ts', 'sdk/lock-factory.ts'],
      ['lambda/lease.ts', 'infra/stack.ts'],
      ['lambda/lease.ts', 'lambda/local/main.ts'],
      ['lambda/lease.ts', 'dynalite'],
    ],
  },
  {
    part: 'lambda/local imports the entries, the names and throttles, the contract, the emulated database and AWS',
    covers: within('lambda/local'),
    may: any(
      within('lambda/local', 'sdk/wire'),
      entries,
      sharedWithInfra,
      oneOf('dynalite', 'aws-lambda'),
      awsSdk,
      nodeBuiltIn,
    ),
    refuses: [
      ['lambda/local/a.ts', 'lambda/service/lock-service.ts'],
      ['lambda/local/a.ts', 'lambda/store/memory-lock-store.ts'],
      ['lambda/local/a.ts', 'lambda/http/handler.ts'],
      ['lambda/local/a.ts', 'lambda/lock-function.ts'],
      ['lambda/local/a.ts', 'sdk/index.ts'],
      ['lambda/local/a.ts', 'infra/stack.ts'],
    ],
  },
  {
    part: 'infra imports the contract, the names, the throttles and CDK',
    covers: within('infra'),
    may: any(
      within('infra', 'sdk/wire'),
      sharedWithInfra,
      oneOf('aws-cdk-lib', 'constructs', 'cdk-nag', 'esbuild'),
      nodeBuiltIn,
    ),
    refuses: [
      ['infra/stack.ts', 'lambda/acquire.ts'],
      ['infra/stack.ts', 'lambda/environment.ts'],
      ['infra/stack.ts', 'sdk/index.ts'],
      ['infra/stack.ts', '@aws-sdk/client-dynamodb'],
    ],
  },
];

/** The imports of a graph that go against a rule, or from a file that no rule covers. */
export function violations(graph: readonly Import[]): string[] {
  return graph.flatMap(({ from, to }) => {
    const rule = importRules.find(({ covers }) => covers(from));
    if (rule?.may(to)) return [];
    return [`${from} imports ${to}: ${rule?.part ?? 'no rule covers this file'}`];
  });
}

/** The files that may read the environment of the process. */
export const mayReadEnvironment = any(
  entries,
  within('lambda/local'),
  oneOf('sdk/environment.ts', 'sdk/cli/environment.ts', 'infra/app.ts'),
);
