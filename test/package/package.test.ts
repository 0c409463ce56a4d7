import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import manifest from '../../package.json';
import { type Installed, install, pack, programHere } from './installed.ts';
import { readmeExamples } from './readme-examples.ts';

const entries = ['holdfast', 'holdfast/auto', 'holdfast/memory', 'holdfast/embedded', 'holdfast/opentelemetry'];
const minuteMs = 60_000;

let tarball: string;
let removeTarball: () => Promise<void>;

beforeAll(async () => {
  ({ tarball, remove: removeTarball } = await pack());
}, 3 * minuteMs);
afterAll(() => removeTarball());

// Takes a lock in memory through each way in, so that what is loaded also works.
const program = `
  const memory = new LockMemory();
  const [here, there] = [connectMemory({ memory }), connectMemory({ memory })];
  here.createLock('a').lock()
    .then(() => there.createLock('a').tryLock())
    .then((taken) => console.log(taken, LockFactory.connect({ url: 'http://127.0.0.1' }) instanceof LockFactory));
`;

describe('the package, installed with everything that is optional', () => {
  let project: Installed;
  beforeAll(async () => {
    project = await install(tarball, { withPeers: true });
  }, 3 * minuteMs);
  afterAll(() => project?.remove());

  it.each([...entries, 'holdfast/infra'])(
    '%s is imported by an ES module and required by CommonJS, with the same names',
    async (entry) => {
      const names = '.filter((name) => !["default", "__esModule", "module.exports"].includes(name)).sort().join()';
      await project.write('names.mjs', `console.log(Object.keys(await import('${entry}'))${names});`);
      await project.write('names.cjs', `console.log(Object.keys(require('${entry}'))${names});`);
      const imported = await project.run('node', 'names.mjs');
      expect(imported.trim()).not.toBe('');
      expect(await project.run('node', 'names.cjs')).toBe(imported);
    },
  );

  it(
    'checks in a TypeScript project, as an ES module and as CommonJS',
    async () => {
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        module: 'nodenext',
        target: 'es2022',
        lib: ['es2022', 'esnext.disposable', 'dom'],
        types: [],
        noEmit: true,
      };
      const source = `
      ${entries.map((entry, index) => `import * as entry${index} from '${entry}';`).join('\n')}
      import { connectMemory } from 'holdfast/memory';
      import { type Lease, LockFactory, LeaseLostError } from 'holdfast';
      export const locks: LockFactory = connectMemory({ leaseMs: 5_000 });
      export const lease: Promise<Lease> = locks.createLock('a').acquire({ waitMs: 5 });
      export const reason: string = new LeaseLostError('a', 'expired').reason;
      // @ts-expect-error a misspelt option is found
      connectMemory({ leaseMS: 5_000 });
      export const all = [${entries.map((_, index) => `entry${index}`).join()}];
    `;
      await project.write('esm/package.json', '{ "type": "module" }');
      await project.write('esm/main.ts', source);
      await project.write('cjs/main.ts', source);
      await project.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['esm', 'cjs'] }));
      await project.run(programHere('tsc'), '-p', 'tsconfig.json');
    },
    2 * minuteMs,
  );

  it(
    'compiles every example of the READMEs, the API page and llms.txt',
    async () => {
      const pages = ['README.md', 'sdk/README.md', 'sdk/API.md', 'llms.txt'].map(readmeExamples);
      expect(pages.filter((examples) => examples.length === 0)).toEqual([]);
      const examples = pages.flat();
      expect(examples.length).toBeGreaterThan(60);
      for (const { file, line, module } of examples) {
        await project.write(`readme/${file.replaceAll('/', '-')}-line-${line}.ts`, module);
      }
      const compilerOptions = {
        strict: true,
        module: 'nodenext',
        target: 'es2022',
        lib: ['es2022', 'esnext.disposable', 'dom'],
        types: [],
        skipLibCheck: true,
        noEmit: true,
      };
      await project.write('readme/package.json', '{ "type": "module" }');
      await project.write('readme/tsconfig.json', JSON.stringify({ compilerOptions, include: ['.'] }));
      await project.run(programHere('tsc'), '-p', 'readme/tsconfig.json');
    },
    2 * minuteMs,
  );

  it('shares the registry and the scopes between its ES module and its CommonJS form', async () => {
    await project.write(
      'both.mjs',
      `
      import { createRequire } from 'node:module';
      import { registry } from 'holdfast';
      import { connectMemory } from 'holdfast/memory';
      const require = createRequire(import.meta.url);
      const { registry: theirs } = require('holdfast');
      const locks = connectMemory();
      registry.register('shared', locks);
      const found = theirs.lookupByName('shared').get();
      const nested = await locks.withLock('a', ({ fencingToken }) =>
        found.withLock('a', (inner) => inner.fencingToken === fencingToken));
      const others = require('holdfast/memory').connectMemory();
      const through = await locks.withLock('a', ({ fencingToken }) =>
        others.withLock('b', () => locks.withLock('a', (inner) => inner.fencingToken === fencingToken)));
      console.log(registry === theirs, found === locks, nested, through);
      `,
    );
    expect(await project.run('node', 'both.mjs')).toBe('false true true true\n');
  });
});

describe('holdfast/infra', () => {
  let project: Installed;
  beforeAll(async () => {
    project = await install(tarball, { withPeers: ['aws-cdk-lib', 'constructs'] });
  }, 3 * minuteMs);
  afterAll(() => project?.remove());

  // An app as its users write it. What it prints of its stack is for the test.
  const app = `
    const app = new App({ outdir: 'cdk.out' });
    const stack = new Stack(app, 'Mine');
    const locks = new LockService(stack, 'Locks');
    const worker = new Function(stack, 'Worker', {
      runtime: Runtime.NODEJS_24_X, handler: 'index.handler', code: Code.fromInline('//'),
    });
    locks.grantUse(worker, { prefix: 'billing/' });
    const { template } = app.synth().getStackByName('Mine');
    console.log(Object.keys(template.Resources).includes('LocksTable84FB9352'));
  `;
  const esm = `
    import { App, Stack } from 'aws-cdk-lib';
    import { Code, Function, Runtime } from 'aws-cdk-lib/aws-lambda';
    import { LockService } from 'holdfast/infra';
  ${app}`;
  const cjs = `
    const { App, Stack } = require('aws-cdk-lib');
    const { Code, Function, Runtime } = require('aws-cdk-lib/aws-lambda');
    const { LockService } = require('holdfast/infra');
  ${app}`;

  it('is in a project without a bundler', async () => {
    const installed = await project.run('npm', 'ls', '--all', '--parseable');
    expect(installed).toContain('aws-cdk-lib');
    expect(installed).not.toContain('esbuild');
  });

  it.each([
    ['main.cjs', cjs],
    ['main.mjs', esm],
  ])(
    'makes a stack with the functions of the package, from %s',
    async (file, source) => {
      await project.write(file, source);
      expect((await project.run('node', file)).trim().split('\n').at(-1)).toBe('true');
      const assets = await project.run('find', 'cdk.out', '-path', '*asset.*', '-type', 'f');
      expect(assets.trim().split('\n').sort()).toEqual(
        Array.from({ length: 3 }, () => expect.stringMatching(/^cdk\.out\/asset\.[0-9a-f]+\/index\.mjs$/)),
      );
      await project.run('rm', '-r', 'cdk.out');
    },
    2 * minuteMs,
  );

  it(
    'has functions that load: what they need is in their bundles',
    async () => {
      for (const name of ['acquire', 'lease', 'admin']) {
        await project.write(
          'load.mjs',
          `const { handler } = await import('./node_modules/holdfast/dist/functions/${name}/index.mjs');
        console.log(typeof handler);`,
        );
        const env = ['HOLDFAST_TABLE=locks', 'HOLDFAST_AUTHORIZATION=iam', 'AWS_REGION=eu-central-1'];
        expect(await project.run('env', ...env, 'node', '--no-warnings', 'load.mjs')).toBe('function\n');
      }
    },
    2 * minuteMs,
  );

  it(
    'checks in a TypeScript project, as an ES module and as CommonJS',
    async () => {
      const compilerOptions = {
        strict: true,
        module: 'nodenext',
        target: 'es2022',
        lib: ['es2022'],
        types: [],
        skipLibCheck: true,
        noEmit: true,
      };
      const source = `
      import { Stack, type StackProps } from 'aws-cdk-lib';
      import type { IGrantable } from 'aws-cdk-lib/aws-iam';
      import type { Construct } from 'constructs';
      import { LockService, type LockServiceProps } from 'holdfast/infra';
      export class Mine extends Stack {
        constructor(scope: Construct, id: string, worker: IGrantable, props?: StackProps) {
          super(scope, id, props);
          const more: LockServiceProps = { maxLeaseMs: 60_000, lineLimit: 8 };
          const locks = new LockService(this, 'Locks', more);
          locks.grantUse(worker, { prefix: 'billing/' });
          const url: string = locks.url;
          // @ts-expect-error a misspelt prop is found
          new LockService(this, url, { linelimit: 8 });
        }
      }
    `;
      await project.write('esm/package.json', '{ "type": "module" }');
      await project.write('esm/main.ts', source);
      await project.write('cjs/main.ts', source);
      await project.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['esm', 'cjs'] }));
      await project.run(programHere('tsc'), '-p', 'tsconfig.json');
    },
    2 * minuteMs,
  );
});

describe('holdfast/auto', () => {
  it(
    'loads the AWS SDK for a table, and for nothing else',
    async () => {
      const project = await install(tarball, {
        withPeers: ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', '@aws-sdk/util-dynamodb'],
      });
      await project.write(
        'auto.cjs',
        `
      const { connect } = require('holdfast/auto');
      const isLoaded = () => Object.keys(require.cache).some((file) => /[\\/\\\\]@(aws-sdk|smithy)[\\/\\\\]/.test(file));
      (async () => {
        await connect({ url: 'http://127.0.0.1' });
        await connect({ url: 'memory:' });
        const before = isLoaded();
        const locks = await connect({ url: 'dynamodb://locks?region=eu-central-1' });
        console.log(before, isLoaded());
        await locks.dispose();
      })();
      `,
      );
      expect(await project.run('node', 'auto.cjs')).toBe('false true\n');
      await project.remove();
    },
    2 * minuteMs,
  );
});

describe('the package, installed alone', () => {
  let project: Installed;
  beforeAll(async () => {
    project = await install(tarball, { withPeers: false });
  }, 3 * minuteMs);
  afterAll(() => project?.remove());

  it('brings two packages along and no other', async () => {
    const installed = await project.run('npm', 'ls', '--all', '--parseable');
    const names = installed
      .trim()
      .split('\n')
      .map((path) => path.split('node_modules/')[1]);
    expect(names.sort()).toEqual(['aws4fetch', 'holdfast', 'zod', undefined]);
  });

  it('says what is missing where an address needs the AWS SDK', async () => {
    const ask = `connect({ url: 'dynamodb://locks' }).catch(({ code, message }) => console.log(code, message))`;
    await project.write('table.mjs', `import { connect } from 'holdfast/auto'; await ${ask};`);
    await project.write('table.cjs', `require('holdfast/auto').${ask};`);
    for (const file of ['table.mjs', 'table.cjs']) {
      expect(await project.run('node', file)).toMatch(/^illegal-argument .*@aws-sdk\/client-dynamodb.*install/);
    }
  });

  it('gives its own manifest', async () => {
    await project.write('manifest.cjs', `console.log(require('holdfast/package.json').name);`);
    expect(await project.run('node', 'manifest.cjs')).toBe('holdfast\n');
  });

  it('has the command, which tells its version', async () => {
    expect(await project.run('npx', 'holdfast', '--version')).toBe(`${manifest.version}\n`);
  });

  it('has all that the command needs: a local service, and a command that runs under a lock of it', async () => {
    await project.write(
      'command.sh',
      `
      holdfast local --port 0 > local.log 2>&1 &
      trap "kill $!; wait" EXIT
      until grep -q Ctrl-C local.log; do kill -0 $! || { cat local.log; exit 1; }; sleep 0.1; done
      export HOLDFAST_URL=$(sed -n 's/^Holdfast is ready on //p' local.log)
      holdfast run 'a b' -- sh -c 'echo "ran under $HOLDFAST_LOCK_ID"'
      holdfast run 'a b' -- sh -c 'exit 3' || echo $?
      `,
    );
    expect(await project.run('npx', '-c', 'sh command.sh')).toBe('ran under a b\n3\n');
  });

  it('works as an ES module, and as CommonJS', async () => {
    const imports = `import { LockFactory } from 'holdfast'; import { connectMemory, LockMemory } from 'holdfast/memory';`;
    await project.write('main.mjs', imports + program);
    const requires = `const { LockFactory } = require('holdfast'); const { connectMemory, LockMemory } = require('holdfast/memory');`;
    await project.write('main.cjs', requires + program);
    expect(await project.run('node', 'main.mjs')).toBe('false true\n');
    expect(await project.run('node', 'main.cjs')).toBe('false true\n');
  });
});

describe('the tarball', () => {
  it('has the licence of each package whose code it bundles', () => {
    const text = execFileSync('tar', ['-xOzf', tarball, 'package/dist/third-party-licences.txt'], { encoding: 'utf8' });
    for (const name of ['commander', 'dynalite', 'zod', '@aws-sdk/client-dynamodb', '@aws-lambda-powertools/logger']) {
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+: (MIT|Apache-2.0|MIT-0)$`, 'm'));
    }
    expect(text).toContain('Permission is hereby granted, free of charge');
  });

  it('has what llms.txt links to', () => {
    const packed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).split('\n');
    const links = [...readFileSync('llms.txt', 'utf8').matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => `package/${link}`);
    expect(links.length).toBeGreaterThan(4);
    expect(packed).toEqual(expect.arrayContaining(['package/llms.txt', ...links]));
  });

  it('has no fault that publint knows', () => {
    const said = execFileSync(programHere('publint'), ['--strict', tarball], { encoding: 'utf8' });
    expect(said).toContain('All good!');
  });

  it('has types that resolve however a project resolves them', () => {
    const args = ['--profile', 'node16', '--format', 'json', tarball];
    const { problems } = JSON.parse(execFileSync(programHere('attw'), args, { encoding: 'utf8' })) as {
      problems: object;
    };
    // A project that resolves as Node 10 did finds no subpaths at all, in any package with "exports".
    expect(Object.keys(problems)).toEqual(['NoResolution']);
  });
});
