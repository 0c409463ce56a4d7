import { App } from 'aws-cdk-lib';
import { addChecks } from './checks.ts';
import { settingsIn } from './context.ts';
import { readyStacks } from './ready-stacks.ts';

const app = new App();
addChecks(app);
// Unless the context names Regions, account and Region are those of the deployer's credentials; synthesis needs none, and
// no network.
readyStacks(app, settingsIn(app.node.getAllContext()), { account: process.env['CDK_DEFAULT_ACCOUNT'] });
