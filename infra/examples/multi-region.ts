import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { LockService, type LockServiceProps } from '../index.ts';

/**
 * One set of locks served in Frankfurt and Ireland, with a witness in Paris: three Regions, of which any two keep it
 * going. In a project of your own the import is `holdfast/infra`.
 *
 * One stack per Region. Each has an address of its own, and a request is signed for the Region that it goes to: give
 * clients both, `LockFactory.connect({ urls: { 'eu-central-1': …, 'eu-west-1': … } })`.
 *
 * @param common what both have in common, such as `maxLeaseMs`
 */
export function multiRegionApp(app: App = new App(), common: LockServiceProps = {}): App {
  const frankfurt = new Stack(app, 'LocksFrankfurt', { env: { region: 'eu-central-1' } });
  const primary = new LockService(frankfurt, 'Locks', {
    ...common,
    multiRegion: { replicaRegions: ['eu-west-1'], witnessRegion: 'eu-west-3', tableName: 'holdfast-locks' },
  });
  new CfnOutput(frankfurt, 'Url', { value: primary.url });

  const ireland = new Stack(app, 'LocksIreland', { env: { region: 'eu-west-1' } });
  const secondary = new LockService(ireland, 'Locks', { ...common, replicaOf: primary });
  new CfnOutput(ireland, 'Url', { value: secondary.url });
  return app;
}
