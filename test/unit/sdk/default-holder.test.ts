import { hostname } from 'node:os';
import { defaultHolder } from '../../../sdk/default-holder.ts';

describe('a holder without a label of its own', () => {
  const { getBuiltinModule } = process;
  afterEach(() => {
    process.getBuiltinModule = getBuiltinModule;
  });

  it('is called after its host and process', () => {
    expect(defaultHolder()).toBe(`${hostname()} pid ${process.pid}`);
  });

  it('has none where there is no such thing', () => {
    process.getBuiltinModule = (() => undefined) as unknown as typeof getBuiltinModule;
    expect(defaultHolder()).toBeUndefined();
  });

  it('has none where the runtime refuses to name the host', () => {
    const hostnameRefused = () => {
      throw new Error('Requires sys access to "hostname", run again with the --allow-sys flag');
    };
    process.getBuiltinModule = (() => ({ hostname: hostnameRefused })) as unknown as typeof getBuiltinModule;
    expect(defaultHolder()).toBeUndefined();
  });
});
