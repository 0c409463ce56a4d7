import type { Consumption } from './cost-model.ts';
import type { CountedRequest } from './counting-proxy.ts';
import type { Figure } from './figures.ts';

// Looks come by jittered timers, so a sample of them is a few more or less; and each takes its own time besides its pause, much
// of it on a busy machine, so there may be fewer.
const within = { share: 0.1, units: 0.25, fewerLooks: 0.35 };

const units = [
  ['requests', 'requests'],
  ['writeUnits', 'write units'],
  ['readUnits', 'read units'],
  ['waitSeconds', 's of waiting functions'],
] as const;

/** What requests of the database consumed, those that DynamoDB would not need left out. */
export function unitsOf(atDatabase: readonly CountedRequest[]): Pick<Consumption, 'writeUnits' | 'readUnits'> {
  const sum = (requests: readonly CountedRequest[]) => requests.reduce((all, each) => all + (each.units ?? 0), 0);
  return {
    writeUnits: sum(atDatabase.filter(({ operation }) => operation === 'UpdateItem')),
    readUnits: sum(atDatabase.filter(({ operation }) => operation === 'GetItem')),
  };
}

/** Whether it stands in for what dynalite leaves out of a refusal: nothing that is measured reads strongly but a look. */
export function isFallbackRead({ operation, body }: CountedRequest): boolean {
  return operation === 'GetItem' && body['ConsistentRead'] === true;
}

/** The lock that a request of the database is about. */
export function lockIdOf({ body }: CountedRequest): string | undefined {
  return (body['Key'] as { lockId?: { S?: string } } | undefined)?.lockId?.S;
}

/**
 * A line of the report: what was measured beside what the cost model says.
 *
 * @param measured what is left out was not measured
 * @param how it was measured
 */
export function besideModel(
  name: string,
  model: Consumption | undefined,
  measured: Partial<Consumption>,
  how: string,
): Figure {
  if (!model) throw new Error(`the cost model must have "${name}"`);
  const pairs = units.flatMap(([key, unit]) => {
    const got = measured[key];
    return got === undefined ? [] : [[unit, model[key] ?? 0, got] as const];
  });
  const shown = (value: number) => value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 2 : 0 });
  return {
    figure: name,
    target: pairs.map(([unit, counted]) => `${shown(counted)} ${unit}`).join(', '),
    measured: `${pairs.map(([, counted, got]) => `${shown(got)}${difference(got, counted)}`).join(', ')} (${how})`,
    met: pairs.every(([unit, counted, got]) => isNear(got, counted, unit === 'read units')),
  };
}

function difference(got: number, counted: number): string {
  if (got === counted || counted === 0) return '';
  const percent = ((got - counted) / counted) * 100;
  return ` (${percent > 0 ? '+' : ''}${percent.toFixed(1)} %)`;
}

function isNear(got: number, counted: number, mayBeFewer: boolean): boolean {
  const { share, units: rounding, fewerLooks } = within;
  const least = counted * (1 - (mayBeFewer ? fewerLooks : share)) - rounding;
  return got >= least && got <= counted * (1 + share) + rounding;
}
