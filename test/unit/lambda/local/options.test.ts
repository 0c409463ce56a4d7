import { parseOptions, usageOf } from '../../../../lambda/local/options.ts';

test('without options: port 3000 of the loopback address, in memory, unsigned', () => {
  expect(parseOptions([])).toEqual({
    host: '127.0.0.1',
    port: 3000,
    authorization: 'none',
    place: { kind: 'memory' },
  });
});

test('every option is read', () => {
  expect(parseOptions(['--port', '0', '--host', '0.0.0.0', '--auth', 'iam', '--data', 'folder'])).toEqual({
    host: '0.0.0.0',
    port: 0,
    authorization: 'iam',
    place: { kind: 'folder', path: 'folder' },
  });
  expect(parseOptions(['--dynamodb=http://127.0.0.1:8000'])).toMatchObject({
    place: { kind: 'endpoint', url: 'http://127.0.0.1:8000' },
  });
});

test('--help names every option', () => {
  expect(parseOptions(['--help'])).toBe('help');
  for (const option of ['port', 'host', 'memory', 'data', 'dynamodb', 'auth', 'help']) {
    expect(usageOf('npm start --')).toContain(`--${option}`);
  }
});

test('a test database is used where no place is named', () => {
  const endpoint = 'http://127.0.0.1:8000';
  const placeOf = (...argv: string[]) => parseOptions(argv, endpoint);
  expect(placeOf()).toMatchObject({ place: { kind: 'endpoint', url: endpoint } });
  expect(placeOf('--memory')).toMatchObject({ place: { kind: 'memory' } });
  expect(placeOf('--data', 'folder')).toMatchObject({ place: { kind: 'folder', path: 'folder' } });
  expect(parseOptions([], '')).toMatchObject({ place: { kind: 'memory' } });
});

test.each([
  [['--port', 'http'], '--port must be a whole number from 0 to 65535, got "http"'],
  [['--port', '65536'], '--port must be a whole number from 0 to 65535, got "65536"'],
  [['--port', '1.5'], '--port must be a whole number from 0 to 65535, got "1.5"'],
  [['--port', ''], '--port must be a whole number from 0 to 65535, got ""'],
  [['--port', '-1'], /^Option '--port' argument is ambiguous. Run with --help/],
  [['--port'], /^Option '--port <value>' argument missing. Run with --help/],
  [['--host', ''], '--host must be an address or a host name, got nothing'],
  [['--auth', 'jwt'], '--auth must be none or iam, got "jwt"'],
  [['--prot', '1'], /^Unknown option '--prot'. Run with --help/],
  [['3000'], /^Unexpected argument '3000'. .*Run with --help/],
  [['--data', ''], '--data must be the path of a folder, got nothing'],
  [['--dynamodb', 'localhost:8000'], /^--dynamodb must be an address such as http.*, got "localhost:8000"$/],
  [['--dynamodb', 'http://'], /^--dynamodb must be an address/],
  [['--memory', '--data', 'x'], /one place only, got --memory and --data; leave out all but one$/],
  [['--data', 'x', '--dynamodb', 'http://x'], /one place only, got --data and --dynamodb/],
])('%j is refused in words', (argv, message) => {
  expect(() => parseOptions(argv)).toThrow(message);
  expect(() => parseOptions(argv)).toThrow(expect.objectContaining({ name: 'StartError' }));
});
