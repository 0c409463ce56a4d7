import { callerOptions } from './callers.ts';
import { failed, proxyBefore, stacks, verification } from './deployments.ts';
import { wrongDeployments } from './wrong-deployments.ts';

it.each(wrongDeployments)(
  'fails a deployment that $deployment ($group)',
  async ({ group, isOpen, alteration, finds }) => {
    const url = await proxyBefore(isOpen ? stacks.open : stacks.signed, alteration);
    const report = await verification(url, '--only', group, '--burst', '400', '--demo', ...callerOptions);
    expect(failed(report)).toEqual(expect.arrayContaining([...finds]));
  },
);
