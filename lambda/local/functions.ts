import type { FunctionName } from '../../sdk/wire/routes.ts';
import { environmentNames } from '../names.ts';
import type { LambdaHandler } from './gateway/invocation.ts';
import type { Options } from './options.ts';
import { StartError } from './start-error.ts';

/** The handlers of the three functions, by name. */
export type Functions = Readonly<Record<FunctionName, LambdaHandler>>;

/** The table's name unless the environment names one. */
export const defaultTable = 'holdfast-local';

/**
 * Sets what Lambda would set for the functions. The credentials are made up on purpose, and whatever names real ones is
 * taken out: a local stack never speaks to AWS.
 */
export function setEnvironment(
  env: NodeJS.ProcessEnv,
  { endpoint, authorization }: { endpoint: string; authorization: Options['authorization'] },
): { table: string } {
  const table = env[environmentNames.table] || defaultTable;
  for (const name of ['AWS_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS']) delete env[name];
  Object.assign(env, {
    [environmentNames.table]: table,
    [environmentNames.authorization]: authorization,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    // Metrics are lines on standard output, which is where the stack speaks to people.
    POWERTOOLS_METRICS_DISABLED: env['POWERTOOLS_METRICS_DISABLED'] ?? 'true',
    // Lambda runs a Node that the SDK supports; its warning about this one would only bury what the stack has to say.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  });
  return { table };
}

/**
 * Loads the entry points that Lambda runs. They read their environment once, while they load: set it first. So there is
 * one local stack in a process.
 *
 * @throws StartError when an entry refuses its environment
 */
export async function loadFunctions(): Promise<Functions> {
  try {
    const [acquire, lease, admin] = await Promise.all([
      import('../acquire.ts'),
      import('../lease.ts'),
      import('../admin.ts'),
    ]);
    return { acquire: acquire.handler, lease: lease.handler, admin: admin.handler };
  } catch (error) {
    throw new StartError(`the functions do not start: ${(error as Error).message}`);
  }
}
