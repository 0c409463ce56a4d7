import type { Template } from 'aws-cdk-lib/assertions';
import { type Resource, resourcesOf } from './synthesized.ts';

/** The single logical id that a value of a template refers to. */
function referenceIn(value: unknown): string {
  const found = JSON.stringify(value).match(/"(?:Ref":|Fn::GetAtt":\[)"([A-Za-z0-9]+)"/);
  if (!found?.[1]) throw new Error(`no reference in ${JSON.stringify(value)}`);
  return found[1];
}

function resource(template: Template, type: string, logicalId: string): Resource {
  const found = resourcesOf(template, type)[logicalId];
  if (!found) throw new Error(`no ${type} ${logicalId}`);
  return found;
}

/** The routes of a template by their keys: the integration of each, and the function behind it. */
export function routeTable(template: Template): Map<string, { integration: Resource; function: Resource }> {
  return new Map(
    Object.values(resourcesOf(template, 'AWS::ApiGatewayV2::Route')).map(({ Properties }) => {
      const integration = resource(template, 'AWS::ApiGatewayV2::Integration', referenceIn(Properties['Target']));
      const functionId = referenceIn(integration.Properties['IntegrationUri']);
      return [
        String(Properties['RouteKey']),
        { integration, function: resource(template, 'AWS::Lambda::Function', functionId) },
      ];
    }),
  );
}

/** The keys of the routes that anybody may call. */
export function openRoutes(template: Template): string[] {
  return Object.values(resourcesOf(template, 'AWS::ApiGatewayV2::Route'))
    .filter(({ Properties }) => Properties['AuthorizationType'] !== 'AWS_IAM')
    .map(({ Properties }) => String(Properties['RouteKey']));
}
