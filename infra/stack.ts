import { CfnOutput, type Environment, Stack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { HostedZone } from 'aws-cdk-lib/aws-route53';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { CustomDomainProps } from './custom-domain.ts';
import { LockService, type LockServiceProps } from './lock-service.ts';

/** A domain name by the names of what is there already. */
export interface ImportedDomain {
  readonly domainName: string;
  readonly certificateArn: string;
  readonly hostedZone?: { readonly hostedZoneId: string; readonly zoneName: string };
}

export interface HoldfastStackProps extends LockServiceProps {
  /** Whose account, and which Region. */
  readonly env?: Environment;

  /** Instead of `domain`. */
  readonly importedDomain?: ImportedDomain;

  /** Instead of `alarmsTopic`. */
  readonly alarmsTopicArn?: string;
}

/** A stack with one lock service and nothing else, for those who want no CDK app of their own. */
export class HoldfastStack extends Stack {
  readonly locks: LockService;

  constructor(scope: Construct, id: string, props: HoldfastStackProps = {}) {
    const { env, importedDomain, alarmsTopicArn, ...ofLocks } = props;
    super(scope, id, { description: 'Holdfast: a distributed lock service', ...(env && { env }) });
    this.locks = new LockService(this, 'Locks', {
      ...ofLocks,
      ...(importedDomain && { domain: domainOf(this, importedDomain) }),
      ...(alarmsTopicArn !== undefined && {
        alarmsTopic: Topic.fromTopicArn(this, 'AlarmsTopic', alarmsTopicArn),
      }),
    });
    new CfnOutput(this, 'ApiUrl', { value: this.locks.url, description: 'Where clients connect to (HOLDFAST_URL)' });
    new CfnOutput(this, 'TableName', { value: this.locks.table.tableName, description: 'The table of the locks' });
  }
}

function domainOf(stack: Stack, { domainName, certificateArn, hostedZone }: ImportedDomain): CustomDomainProps {
  const certificate = Certificate.fromCertificateArn(stack, 'Certificate', certificateArn);
  if (!hostedZone) return { domainName, certificate };
  return { domainName, certificate, hostedZone: HostedZone.fromHostedZoneAttributes(stack, 'Zone', hostedZone) };
}
