import { accessSummary } from './access-summary.ts';
import { synthesize } from './synthesized.ts';

test('whoever can do anything by the default stack is in the summary that was looked through', () => {
  expect(accessSummary(synthesize().template)).toMatchSnapshot();
});
