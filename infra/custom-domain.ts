import { Token } from 'aws-cdk-lib';
import { DomainName, SecurityPolicy } from 'aws-cdk-lib/aws-apigatewayv2';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, type IHostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets';
import type { Construct } from 'constructs';
import { checkNamed, refusal } from './refusal.ts';
import { checkSameRegion } from './same-region.ts';

/**
 * A domain name of one's own for the API.
 *
 * Where IAM authorizes, requests are signed for a Region, which nobody can tell from such a name: clients set
 * `HOLDFAST_REGION`, or run in the API's Region, or use the API's own address, which goes on working.
 */
export interface CustomDomainProps {
  /** Such as `locks.example.com`: lower case, no `https://`, no path. */
  readonly domainName: string;
  /** A certificate for the name, of the API's Region. */
  readonly certificate: ICertificate;
  /**
   * Where to make an alias record for the name.
   *
   * @default - none: point the name at the API yourself
   */
  readonly hostedZone?: IHostedZone;
}

const domainPattern = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;

/** @throws Error when the name is none, or is not of the zone, or the certificate is of another Region */
export function createCustomDomain(scope: Construct, props: CustomDomainProps): DomainName {
  checkNamed(
    'domain',
    props,
    ['domainName', 'certificate', 'hostedZone'],
    "Leave it out for the API's own address alone.",
  );
  const { domainName, certificate, hostedZone } = props as CustomDomainProps;
  if (!(Token.isUnresolved(domainName) || domainPattern.test(domainName))) {
    throw refusal(
      'domain.domainName',
      'must be a domain name in lower case, such as locks.example.com',
      domainName,
      'Give the bare name, without https:// and without a path.',
    );
  }
  if (typeof certificate?.certificateArn !== 'string') {
    throw refusal(
      'domain.certificate',
      "must be a certificate of the API's Region",
      certificate,
      'Make one with Certificate of aws-cdk-lib/aws-certificatemanager, or import one by its ARN.',
    );
  }
  checkSameRegion(scope, 'domain.certificate', certificate, certificate.certificateArn);
  const zoneName = hostedZone && noDotAtEnd(hostedZone.zoneName);
  const known = zoneName !== undefined && !Token.isUnresolved(zoneName) && !Token.isUnresolved(domainName);
  if (known && domainName !== zoneName && !domainName.endsWith(`.${zoneName}`)) {
    throw refusal(
      'domain.hostedZone',
      `must be the zone of ${domainName}`,
      zoneName,
      'Give the zone that the name ends in, or leave it out and make the record yourself.',
    );
  }
  const domain = new DomainName(scope, 'Domain', {
    domainName,
    certificate,
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
  if (hostedZone) {
    const { regionalDomainName, regionalHostedZoneId } = domain;
    new ARecord(scope, 'DomainAlias', {
      zone: hostedZone,
      // The dot keeps CDK from putting the zone's name behind it once more.
      recordName: `${domainName}.`,
      target: RecordTarget.fromAlias(new ApiGatewayv2DomainProperties(regionalDomainName, regionalHostedZoneId)),
    });
  }
  return domain;
}

function noDotAtEnd(name: string): string {
  return Token.isUnresolved(name) ? name : name.replace(/\.$/, '');
}
