import { type Consumption, type Cost, costOf, deployment, hours, operations } from './cost-model.ts';
import { prices } from './prices.ts';

const million = 1e6;

/** The costs as Markdown, as they stand in `infra/README.md`. */
export function costTables(): string {
  const { shortCallMs, shortCallMb, waitMb, accessLogBytes } = deployment;
  return [
    '| a million times | requests | write units | read units | API | Lambda | DynamoDB | logs | together |',
    '|---|---|---|---|---|---|---|---|---|',
    ...Object.entries(operations).map(([name, once]) => row(name, once, million, 2)),
    '',
    '| one hour, once | requests | write units | read units | API | Lambda | DynamoDB | logs | together |',
    '|---|---|---|---|---|---|---|---|---|',
    ...Object.entries(hours).map(([name, hour]) => row(name, hour, 1, 4)),
    '',
    `API = requests × ${perMillion(prices.httpApiRequest.dollars)}. ` +
      `Lambda = requests × (${perMillion(prices.lambdaRequest.dollars)} + ${shortCallMs / 1_000} s × ${shortCallMb / 1_024} GB × ` +
      `$${prices.lambdaGbSecond.dollars}), and ${waitMb / 1_024} GB for each second of a wait that is held open. ` +
      `DynamoDB = write units × ${perMillion(prices.writeUnit.dollars)} + read units × ${perMillion(prices.readUnit.dollars)}. ` +
      `Logs = requests × ${accessLogBytes} bytes × $${prices.logGb.dollars.toFixed(2)} a GB.`,
    '',
    '| price of one | $ | page | read at |',
    '|---|---|---|---|',
    ...Object.values(prices).map(
      ({ dollars, unit, page, readAt }) => `| ${unit} | ${plain(dollars)} | ${page} | ${readAt} |`,
    ),
  ].join('\n');
}

function row(
  name: string,
  { requests, writeUnits, readUnits, waitSeconds = 0 }: Consumption,
  times: number,
  digits: number,
): string {
  const consumed = { requests, writeUnits, readUnits, waitSeconds };
  const { api, lambda, table, logs } = scaled(costOf(consumed), times);
  const dollars = [api, lambda, table, logs, api + lambda + table + logs];
  const counts = [requests, writeUnits, readUnits].map((count) => (count * times).toLocaleString('en-US'));
  return `| ${[name, ...counts, ...dollars.map((amount) => `$${amount.toFixed(digits)}`)].join(' | ')} |`;
}

function scaled({ api, lambda, table, logs }: Cost, times: number): Cost {
  return { api: api * times, lambda: lambda * times, table: table * times, logs: logs * times };
}

function perMillion(dollars: number): string {
  return `$${(dollars * million).toFixed(3).replace(/0$/, '')} a million`;
}

// Never in exponents.
function plain(dollars: number): string {
  return dollars.toFixed(10).replace(/0+$/, '').replace(/\.$/, '');
}
