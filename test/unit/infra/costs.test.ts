import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessLogFields } from '../../../infra/access-log.ts';
import { costOf, deployment, hours } from '../../bench/cost-model.ts';
import { costTables } from '../../bench/cost-table.ts';
import { prices } from '../../bench/prices.ts';

const readme = readFileSync(join(__dirname, '..', '..', '..', 'infra', 'README.md'), 'utf8');

it('infra/README.md has the tables that `npm run costs` prints', () => {
  const [, , tables] = /<!-- (npm run costs) -->\n([\s\S]*?)\n<!-- end of costs -->/.exec(readme) ?? [];
  expect(tables).toBe(costTables());
});

it('costs are the sum of what was consumed at the list prices', () => {
  const cost = costOf({ requests: 1e6, writeUnits: 1e6, readUnits: 2e6, waitSeconds: 8 });
  expect(cost.api).toBeCloseTo(1);
  // 10 ms at 256 MB, a million times, and a GB-second of waiting.
  expect(cost.lambda).toBeCloseTo(0.2 + 2_500 * prices.lambdaGbSecond.dollars + prices.lambdaGbSecond.dollars, 6);
  expect(cost.table).toBeCloseTo(0.625 + 0.25);
  expect(cost.logs).toBeCloseTo(0.2);
});

it('a thousand waiters for a day cost $144 of waiting functions', () => {
  const { lambda } = costOf({ requests: 0, writeUnits: 0, readUnits: 0, waitSeconds: 24_000 * 3_600 });
  expect(Math.round(lambda)).toBe(144);
});

it('a waiter costs less the further back it stands', () => {
  const together = ['waiting, first in line', 'waiting, place 8', 'waiting, behind the first 8'].map((name) => {
    const { api, lambda, table, logs } = costOf(hours[name] ?? { requests: 0, writeUnits: 0, readUnits: 0 });
    return api + lambda + table + logs;
  });
  expect(together).toEqual([...together].sort((one, other) => other - one));
  expect(together.at(-1)).toBeGreaterThan(0);
});

it('a line of the access log has about the length that costs count with', () => {
  // What the gateway writes, typically, in place of each variable.
  const typical: Readonly<Record<string, string>> = {
    '$context.requestId': 'JKJaXmPLvHcESHA=',
    '$context.requestTime': '10/Mar/2026:07:03:22 +0000',
    '$context.routeKey': 'POST /v1/locks/{lockId}/renew',
    '$context.status': '200',
    '$context.identity.userArn': 'arn:aws:sts::123456789012:assumed-role/orders-worker/i-0123456789abcdef0',
  };
  const line = Object.fromEntries(
    Object.entries(accessLogFields).map(([name, variable]) => [name, typical[variable] ?? '-']),
  );
  const bytes = Buffer.byteLength(JSON.stringify(line));
  expect(Math.abs(bytes - deployment.accessLogBytes)).toBeLessThan(0.2 * deployment.accessLogBytes);
});
