import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { LockService, type LockServiceProps } from './lock-service.ts';

export interface HoldfastStackProps extends StackProps, LockServiceProps {}

/** A stack with one lock service and nothing else, for those who want no CDK app of their own. */
export class HoldfastStack extends Stack {
  readonly locks: LockService;

  constructor(scope: Construct, id: string, props: HoldfastStackProps = {}) {
    super(scope, id, { description: 'Holdfast: a distributed lock service', ...props });
    this.locks = new LockService(this, 'Locks', props);
    new CfnOutput(this, 'ApiUrl', { value: this.locks.url, description: 'Where clients connect to (HOLDFAST_URL)' });
    new CfnOutput(this, 'TableName', { value: this.locks.table.tableName, description: 'The table of the locks' });
  }
}
