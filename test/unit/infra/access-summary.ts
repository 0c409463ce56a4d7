import type { Template } from 'aws-cdk-lib/assertions';
import { resourcesOf } from './synthesized.ts';

/**
 * What a stack lets anybody do, as text for people to compare: each route with its authorization, and each statement of
 * each policy, roles' trust included.
 */
export function accessSummary(template: Template): string {
  return [
    'Routes',
    ...routeLines(template),
    '',
    'Who may be whom, and may do what',
    ...statementLines(template),
    '',
  ].join('\n');
}

function routeLines(template: Template): string[] {
  return Object.values(resourcesOf(template, 'AWS::ApiGatewayV2::Route'))
    .map(({ Properties }) => {
      const { RouteKey, AuthorizationType, AuthorizationScopes = [] } = Properties;
      return `  ${RouteKey}: ${[AuthorizationType, ...(AuthorizationScopes as string[])].join(' ')}`;
    })
    .sort();
}

interface Statement {
  readonly Effect: string;
  readonly Action?: string | string[];
  readonly Resource?: unknown;
  readonly Principal?: unknown;
}

function statementLines(template: Template): string[] {
  const { Resources } = template.toJSON() as { Resources: Record<string, { Type: string; Properties?: object }> };
  return Object.entries(Resources)
    .flatMap(([id, { Type, Properties = {} }]) => {
      if (Type === 'AWS::Lambda::Permission') {
        const { Action, Principal, FunctionName, SourceArn } = Properties as Record<string, unknown>;
        return [`  ${text(Principal)} may ${Action} on ${text(FunctionName)}, from ${text(SourceArn)}`];
      }
      return documentsIn(Properties).flatMap(({ Statement }) =>
        Statement.map((statement) => `  ${id}: ${statementText(statement)}`),
      );
    })
    .sort();
}

function documentsIn(value: unknown): { readonly Statement: Statement[] }[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('Statement' in value && Array.isArray(value.Statement)) return [value as { Statement: Statement[] }];
  return Object.values(value).flatMap(documentsIn);
}

function statementText({ Effect, Action, Resource, Principal, ...rest }: Statement): string {
  return [
    `${Effect} ${[Action ?? []].flat().sort().join(', ')}`,
    ...(Resource === undefined ? [] : [`on ${[Resource].flat().map(text).sort().join(', ')}`]),
    ...(Principal === undefined ? [] : [`to ${text(Principal)}`]),
    ...(Object.keys(rest).length === 0 ? [] : [JSON.stringify(rest)]),
  ].join(' ');
}

/** A value of a template as text: references by what they refer to. */
function text(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if ('Ref' in value) return `{${value.Ref}}`;
  if ('Fn::GetAtt' in value) return `{${(value['Fn::GetAtt'] as string[]).join('.')}}`;
  if ('Fn::Join' in value) return (value['Fn::Join'] as [string, unknown[]])[1].map(text).join('');
  return JSON.stringify(value);
}
