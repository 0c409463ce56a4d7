import type { Environment } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Settings } from './context.ts';
import type { FunctionCode } from './function-code.ts';
import { refusal } from './refusal.ts';
import { HoldfastStack, type HoldfastStackProps, type ImportedDomain } from './stack.ts';

/**
 * The stacks that `cdk deploy` deploys from this repository: one, or one per Region.
 *
 * @param options.account whose account, where it must be known
 * @throws Error when settings exclude one another
 */
export function readyStacks(
  scope: Construct,
  settings: Settings,
  options: { readonly account?: string | undefined; readonly functionCode?: FunctionCode } = {},
): HoldfastStack[] {
  const { region, replicaRegions = [], witnessRegion, tableName, removalPolicy } = settings;
  const common = { ...propsOf(settings), ...given({ functionCode: options.functionCode }) };
  const own = given({ removalPolicy });
  if (region === undefined || tableName === undefined) {
    return [new HoldfastStack(scope, 'Holdfast', { ...common, ...own, ...domainOf(settings) })];
  }
  if (settings.domainName !== undefined) {
    throw new Error(
      'holdfast:domainName goes with one Region only, got holdfast:replicaRegions beside it: each Region needs a name ' +
        'and a certificate of its own. Write an app: infra/examples/multi-region.ts shows how.',
    );
  }
  if (settings.alarmsTopicArn !== undefined) {
    throw refusal(
      'holdfast:alarmsTopicArn',
      'goes with one Region only, for alarms notify topics of their own Region',
      `${settings.alarmsTopicArn} beside holdfast:replicaRegions`,
      'Leave it out, or write an app with a topic for each Region: infra/examples/multi-region.ts shows how.',
    );
  }
  const envOf = (name: string): Environment => ({ region: name, ...given({ account: options.account }) });
  const primary = new HoldfastStack(scope, 'Holdfast', {
    ...common,
    ...own,
    env: envOf(region),
    multiRegion: { replicaRegions, tableName, ...given({ witnessRegion }) },
  });
  const secondaries = replicaRegions.map(
    (name) => new HoldfastStack(scope, `Holdfast-${name}`, { ...common, env: envOf(name), replicaOf: primary.locks }),
  );
  return [primary, ...secondaries];
}

function propsOf(settings: Settings): HoldfastStackProps {
  const { acquireMemoryMb: acquire, leaseMemoryMb: lease, adminMemoryMb: admin } = settings;
  const reserved = given({
    acquire: settings.acquireReservedConcurrency,
    lease: settings.leaseReservedConcurrency,
    admin: settings.adminReservedConcurrency,
  });
  const { jwtIssuer: issuer, jwtAudience: audience = [], jwtUseScope, jwtReadScope, jwtAdminScope } = settings;
  // The context has all of these or none.
  const scopes = { use: jwtUseScope ?? '', read: jwtReadScope ?? '', admin: jwtAdminScope ?? '' };
  return {
    ...given({
      maxLeaseMs: settings.maxLeaseMs,
      lineLimit: settings.lineLimit,
      logRetention: settings.logRetentionDays,
      accessLogRetention: settings.accessLogRetentionDays,
      accountConcurrency: settings.accountConcurrency,
      alarms: settings.alarms,
      alarmsTopicArn: settings.alarmsTopicArn,
      dashboard: settings.dashboard,
    }),
    memoryMb: given({ acquire, lease, admin }),
    reservedConcurrency: reserved,
    ...(issuer !== undefined && { authorization: { issuer, audience, scopes } }),
  };
}

function domainOf(settings: Settings): { readonly importedDomain?: ImportedDomain } {
  const { domainName, certificateArn, hostedZoneId, hostedZoneName: zoneName } = settings;
  if (domainName === undefined || certificateArn === undefined) return {};
  const hostedZone = hostedZoneId !== undefined && zoneName !== undefined && { hostedZoneId, zoneName };
  return { importedDomain: { domainName, certificateArn, ...(hostedZone && { hostedZone }) } };
}

/** The same without the values that are missing. */
function given<T extends object>(values: T): { [name in keyof T]?: Exclude<T[name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
