import { backendAddressOf } from '../../../sdk/backend-address.ts';
import { IllegalArgumentError } from '../../../sdk/index.ts';

describe('an address', () => {
  it.each([
    ['https://example.com/path', { kind: 'api' }],
    ['http://127.0.0.1:3000', { kind: 'api' }],
    ['HTTPS://example.com', { kind: 'api' }],
    ['memory:', { kind: 'memory', name: '' }],
    ['memory:orders-1', { kind: 'memory', name: 'orders-1' }],
    ['Memory:A', { kind: 'memory', name: 'A' }],
    ['dynamodb://locks', { kind: 'table', table: { table: 'locks' } }],
    ['dynamodb://My_Locks.v1/', { kind: 'table', table: { table: 'My_Locks.v1' } }],
    [
      'dynamodb://locks?region=eu-central-1&endpoint=http://localhost:8000&clockSkewMs=250',
      {
        kind: 'table',
        table: { table: 'locks', region: 'eu-central-1', endpoint: 'http://localhost:8000', clockSkewMs: 250 },
      },
    ],
    [
      'dynamodb://locks?endpoint=http%3A%2F%2Flocalhost',
      { kind: 'table', table: { table: 'locks', endpoint: 'http://localhost' } },
    ],
    ['dynamodb://locks?region=', { kind: 'table', table: { table: 'locks' } }],
    ['dynamodb://locks?clockSkewMs=soon', { kind: 'table', table: { table: 'locks', clockSkewMs: Number.NaN } }],
  ])('%s is read', (text, address) => {
    expect(backendAddressOf(text)).toEqual(address);
  });

  it.each([
    undefined,
    null,
    42,
    '',
    'locks',
    'redis://locks',
    'memory:/a',
    'memory://a',
    'memory:a b',
    'memory:a?x=1',
    'memory:a#x',
    'dynamodb:locks',
    'dynamodb://',
    'dynamodb:///locks',
    'dynamodb://locks/path',
    'dynamodb://locks#x',
    'dynamodb://locks?Region=eu-central-1',
    'dynamodb://locks?region=a&region=b',
    'dynamodb://user@locks',
    'dynamodb://lo\ncks',
    ' memory:',
    'https://locks\t',
    'memory:\u0001',
  ])('%j is refused', (text) => {
    expect(() => backendAddressOf(text)).toThrow(IllegalArgumentError);
  });

  it.each(['redis://user:hunter2@host', 'dynamodb://user:hunter2@locks', 'dynamodb://locks?password=hunter2'])(
    'that is refused does not show what may be a password: %s',
    (text) => {
      expect(() => backendAddressOf(text)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
      );
    },
  );
});
