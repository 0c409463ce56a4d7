import { Fn, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { HostedZone } from 'aws-cdk-lib/aws-route53';
import type { CustomDomainProps } from '../../../infra/custom-domain.ts';
import { LockService } from '../../../infra/lock-service.ts';
import { newApp, standInCode } from './synthesized.ts';

const certificateArn = 'arn:aws:acm:eu-central-1:111111111111:certificate/abc';

function serviceWith(domainOf: (stack: Stack) => Partial<CustomDomainProps>) {
  const stack = new Stack(newApp(), 'Mine');
  const certificate = Certificate.fromCertificateArn(stack, 'Certificate', certificateArn);
  const domain = { domainName: 'locks.example.com', certificate, ...domainOf(stack) } as CustomDomainProps;
  const locks = new LockService(stack, 'Locks', { functionCode: standInCode, domain });
  return { stack, locks, template: Template.fromStack(stack) };
}

const zone = (zoneName: string) => (stack: Stack) => ({
  hostedZone: HostedZone.fromHostedZoneAttributes(stack, 'Zone', { hostedZoneId: 'Z1', zoneName }),
});

describe('a domain name of one’s own', () => {
  it('is the API’s, with the certificate, and is where clients connect to', () => {
    const { template, locks } = serviceWith(() => ({}));
    template.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      DomainName: 'locks.example.com',
      DomainNameConfigurations: [
        { CertificateArn: certificateArn, EndpointType: 'REGIONAL', SecurityPolicy: 'TLS_1_2' },
      ],
    });
    template.hasResourceProperties('AWS::ApiGatewayV2::ApiMapping', {
      ApiId: { Ref: 'LocksApi687198B1' },
      Stage: '$default',
    });
    template.resourceCountIs('AWS::Route53::RecordSet', 0);
    expect(locks.url).toBe('https://locks.example.com');
  });

  it.each(['example.com', 'example.com.', 'locks.example.com'])('gets an alias record in the zone %s', (zoneName) => {
    const { template } = serviceWith(zone(zoneName));
    template.hasResourceProperties('AWS::Route53::RecordSet', {
      Name: 'locks.example.com.',
      Type: 'A',
      HostedZoneId: 'Z1',
    });
  });

  it('may be known only when the stack is deployed', () => {
    const { stack, locks } = serviceWith(() => ({ domainName: Fn.importValue('LocksDomain') }));
    expect(stack.resolve(locks.url)).toEqual({ 'Fn::Join': ['', ['https://', { 'Fn::ImportValue': 'LocksDomain' }]] });
  });

  it.each(['https://locks.example.com', 'locks.example.com/v1', 'Locks.example.com', '*.example.com', 'localhost', ''])(
    'is not %j',
    (domainName) => {
      expect(() => serviceWith(() => ({ domainName }))).toThrow(
        `domain.domainName must be a domain name in lower case, such as locks.example.com, got ${JSON.stringify(domainName)}. Give the bare name`,
      );
    },
  );

  it('needs a certificate', () => {
    expect(() => serviceWith(() => ({ certificate: undefined as never }))).toThrow(
      "domain.certificate must be a certificate of the API's Region, got nothing.",
    );
  });

  it('needs a certificate of the stack’s Region, as far as that is known', () => {
    const made = (env: object, arn: string) => () => {
      const stack = new Stack(newApp(), 'Mine', { env });
      const certificate = Certificate.fromCertificateArn(stack, 'Certificate', arn);
      const domain = { domainName: 'locks.example.com', certificate };
      return new LockService(stack, 'Locks', { functionCode: standInCode, domain });
    };
    expect(made({ region: 'us-east-1' }, certificateArn)).toThrow(
      `domain.certificate must be of the stack's Region (us-east-1), got "${certificateArn}". Give one of us-east-1`,
    );
    expect(made({ region: 'eu-central-1' }, certificateArn)).not.toThrow();
    expect(made({}, certificateArn)).not.toThrow();
    expect(made({ region: 'us-east-1' }, Fn.importValue('CertificateArn'))).not.toThrow();
  });

  it('does not take a certificate that another stack makes in another Region', () => {
    const app = newApp();
    const there = new Stack(app, 'There', { env: { region: 'us-east-1' } });
    const stack = new Stack(app, 'Mine', { env: { region: 'eu-central-1' } });
    const certificate = new Certificate(there, 'Certificate', { domainName: 'locks.example.com' });
    const domain = { domainName: 'locks.example.com', certificate };
    expect(() => new LockService(stack, 'Locks', { functionCode: standInCode, domain })).toThrow(
      'domain.certificate must be of the stack\'s Region (eu-central-1), got "us-east-1".',
    );
  });

  it.each(['example.org', 'ample.com', 'a.locks.example.com'])('is not of the zone %s', (zoneName) => {
    expect(() => serviceWith(zone(zoneName))).toThrow(
      `domain.hostedZone must be the zone of locks.example.com, got "${zoneName}". Give the zone that the name ends in`,
    );
  });
});
