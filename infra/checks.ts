import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';

/**
 * Has every synthesis of the app checked against AWS's rules of good practice. Any finding, a warning too, fails the
 * synthesis unless it is acknowledged, with a reason, beside the resource it is about.
 *
 * (CDK's own check of the template fails it as well: see the context in cdk.json.)
 */
export function addChecks(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
}
