import { App } from 'aws-cdk-lib';
import { addChecks } from './checks.ts';
import { HoldfastStack } from './stack.ts';

const app = new App();
addChecks(app);
// Account and Region are those of the deployer's credentials; synthesis needs none, and no network.
new HoldfastStack(app, 'Holdfast');
