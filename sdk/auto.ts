import { backendAddressOf } from './backend-address.ts';
import type { ConnectOptions } from './connect-options.ts';
import { connectOptionsFromEnvironment } from './environment.ts';
import { LockFactory } from './lock-factory.ts';
import { checkObject, withDefaults } from './options.ts';

/**
 * Where the locks are, by address, and the defaults of a factory's locks.
 *
 * @example const options: AutoOptions = { url: 'memory:test', leaseMs: 5_000 };
 */
export interface AutoOptions extends ConnectOptions {
  /**
   * - `https://…`, `http://…`: the API, as for `LockFactory.connect`.
   * - `memory:`, `memory:NAME`: the memory of this process, one for each name, as for `connectMemory`.
   * - `dynamodb://TABLE`: straight over a DynamoDB table, as for `connectEmbedded`; `?region=…`, `&endpoint=…` and
   *   `&clockSkewMs=…` are its options.
   */
  readonly url?: string;
}

/**
 * A factory over whatever the address names, so that one program runs against the API, against a table, and in tests
 * against memory. What an address does not need is not loaded: the AWS SDK only for `dynamodb:`. (So this is
 * asynchronous, unlike `LockFactory.connect`.)
 *
 * @example
 * import { connect } from 'holdfast/auto';
 *
 * const locks = await connect({ url: 'dynamodb://locks?region=eu-central-1' });
 *
 * @param options those that the address has no use for, such as `credentials` for `memory:`, are refused
 * @throws IllegalArgumentError for an address or option that is not valid
 */
export async function connect(options: AutoOptions): Promise<LockFactory> {
  checkObject(options, 'connect takes an object with a url');
  // Several Regions have only APIs.
  if (options.urls !== undefined) return LockFactory.connect(options);
  // Without those that are there but undefined: to some backends they are unknown.
  const { url, ...rest } = withDefaults(options, {});
  const address = backendAddressOf(url);
  switch (address.kind) {
    case 'api':
      return LockFactory.connect(options);
    case 'memory': {
      const { connectMemory, LockMemory } = await import('./memory.ts');
      return connectMemory({ ...rest, memory: memoryNamed(address.name, () => new LockMemory()) });
    }
    case 'table': {
      const { connectEmbedded } = await import('./embedded.ts');
      return connectEmbedded(withDefaults(rest as Parameters<typeof connectEmbedded>[0], address.table));
    }
  }
}

/**
 * A factory over what `HOLDFAST_URL` names: see {@link AutoOptions.url}. The API's requests are signed when the
 * environment has AWS credentials, as by `LockFactory.fromEnv`.
 *
 * @example
 * import { fromEnv } from 'holdfast/auto';
 *
 * const locks = await fromEnv(); // HOLDFAST_URL=memory: in a test, https://… in production
 *
 * @param options go before what the environment says
 * @throws IllegalArgumentError when HOLDFAST_URL is missing, or it or an option is not valid
 */
export async function fromEnv(options: AutoOptions = {}): Promise<LockFactory> {
  checkObject(options, 'fromEnv takes an object of options');
  const { credentials, ...environment } = connectOptionsFromEnvironment(options);
  const asked = withDefaults(options, environment);
  // Over a table the AWS SDK finds the credentials of the environment, and others, by itself.
  const isSigned =
    credentials !== undefined && (asked.urls !== undefined || backendAddressOf(asked.url).kind === 'api');
  return connect(withDefaults<AutoOptions>(asked, isSigned ? { credentials } : {}));
}

// On the global object: a process may have loaded this package twice, as an ES module and as CommonJS.
const registry = Symbol.for('holdfast.memories');

function memoryNamed<T>(name: string, make: () => T): T {
  const global = globalThis as { [registry]?: Map<string, T> };
  global[registry] ??= new Map();
  const memory = global[registry].get(name) ?? make();
  global[registry].set(name, memory);
  return memory;
}
