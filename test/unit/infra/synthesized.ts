import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type AppProps } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import cdkJson from '../../../cdk.json';
import type { FunctionCode } from '../../../infra/function-code.ts';
import { HoldfastStack, type HoldfastStackProps } from '../../../infra/stack.ts';

/** Stands in for the bundles, which tests do not wait for. It names its function, so that tests can tell them apart. */
export const standInCode: FunctionCode = (name) => Code.fromInline(`// ${name}`);

/** Without what watches the service, which is most of its template: for tests of other things. */
export const unwatched = { alarms: false, dashboard: false } as const;

// One for each test file, which imports this anew. CDK itself would leave a folder of every app behind.
let outputs: string | undefined;
let apps = 0;
afterAll(() => {
  if (outputs !== undefined) rmSync(outputs, { recursive: true });
});

/** An app as its props have it, whose output is gone when the test file ends. */
export function appWith(props: AppProps): App {
  outputs ??= mkdtempSync(join(tmpdir(), 'holdfast-cdk-'));
  apps += 1;
  return new App({ outdir: join(outputs, String(apps)), ...props });
}

/**
 * An app with the settings of cdk.json, less CDK's validation of the template: that takes seconds, and one test of it
 * is enough.
 */
export function newApp(): App {
  return appWith({ context: cdkJson.context, builtinCloudFormationValidation: false });
}

/** The stack that is deployed, and its template. */
export function synthesize(props: HoldfastStackProps = {}): { stack: HoldfastStack; template: Template } {
  const stack = new HoldfastStack(newApp(), 'Holdfast', { functionCode: standInCode, ...props });
  return { stack, template: Template.fromStack(stack) };
}

/** A resource of a template. */
export interface Resource {
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy?: string;
}

/** The resources of one type, by logical id. */
export function resourcesOf(template: Template, type: string): Record<string, Resource> {
  return template.findResources(type) as Record<string, Resource>;
}
