import { parseOptions, usageOf } from '../../../../lambda/local/options.ts';
import { defaultThrottles } from '../../../../lambda/throttles.ts';

test('without options: port 3000 of the loopback address, in memory, unsigned', () => {
  expect(parseOptions([])).toEqual({
    host: '127.0.0.1',
    port: 3000,
    authorization: 'none',
    place: { kind: 'memory' },
    limits: { throttles: {} },
  });
});

test('every option is read', () => {
  expect(parseOptions(['--port', '0', '--host', '0.0.0.0', '--auth', 'iam', '--data', 'folder'])).toEqual({
    host: '0.0.0.0',
    port: 0,
    authorization: 'iam',
    place: { kind: 'folder', path: 'folder' },
    limits: { throttles: {} },
  });
  expect(parseOptions(['--dynamodb=http://127.0.0.1:8000'])).toMatchObject({
    place: { kind: 'endpoint', url: 'http://127.0.0.1:8000' },
  });
});

test('--help names every option', () => {
  expect(parseOptions(['--help'])).toBe('help');
  for (const option of [
    'port',
    'host',
    'memory',
    'data',
    'dynamodb',
    'auth',
    'concurrency',
    'reserve',
    'throttle',
    'help',
  ]) {
    expect(usageOf('npm start --')).toContain(`--${option}`);
  }
});

test('limits are read', () => {
  const limitsOf = (...argv: string[]) => {
    const options = parseOptions(argv);
    return options === 'help' ? undefined : options.limits;
  };
  expect(limitsOf('--concurrency', '30', '--reserve', 'lease=20', '--reserve', 'admin=1')).toEqual({
    concurrency: { account: 30, reserved: { lease: 20, admin: 1 } },
    throttles: {},
  });
  expect(limitsOf('--reserve', 'lease=20')).toEqual({
    concurrency: { account: 1_000, reserved: { lease: 20 } },
    throttles: {},
  });
  expect(limitsOf('--throttle', 'acquire=0.5:1', '--throttle', 'try=100:50')).toEqual({
    throttles: { acquire: { requestsPerSecond: 0.5, burst: 1 }, try: { requestsPerSecond: 100, burst: 50 } },
  });
});

test('the throttles of a deployment are those for the concurrency, and one that is named counts instead', () => {
  expect(parseOptions(['--throttle', 'defaults'])).toMatchObject({
    limits: { throttles: defaultThrottles({ account: 1_000, reserved: {} }) },
  });
  const argv = ['--throttle', 'try=7:3', '--concurrency', '60', '--throttle', 'defaults', '--reserve', 'lease=20'];
  expect(parseOptions(argv)).toMatchObject({
    limits: {
      throttles: {
        ...defaultThrottles({ account: 60, reserved: { lease: 20 } }),
        try: { requestsPerSecond: 7, burst: 3 },
      },
    },
  });
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
  [['--concurrency', '0'], '--concurrency must be a whole number from 1, got "0"'],
  [['--concurrency', 'all'], '--concurrency must be a whole number from 1, got "all"'],
  [
    ['--reserve', 'leases=3'],
    /^--reserve must be one of lease, acquire, admin with .* such as lease=20, got "leases=3"$/,
  ],
  [['--reserve', 'lease'], /^--reserve must be one of .*, got "lease"$/],
  [['--reserve', 'lease=0'], /^--reserve must be one of .*, got "lease=0"$/],
  [
    ['--concurrency', '20', '--reserve', 'lease=20'],
    '--reserve must leave some of the 20 of --concurrency to the other functions, got 20',
  ],
  [
    ['--throttle', 'lock=1:1'],
    /^--throttle must be defaults, or one of try, .* such as acquire=20:100, got "lock=1:1"$/,
  ],
  [['--throttle', 'try=1'], /^--throttle must be defaults, or .*, got "try=1"$/],
  [['--throttle', 'try=1:0'], /^--throttle must be defaults, or .*, got "try=1:0"$/],
  [['--throttle', 'try=-1:1'], /^--throttle must be defaults, or .*, got "try=-1:1"$/],
  [['--throttle', 'try=1:1', '--throttle', 'try=2:2'], '--throttle must name try only once, got it twice'],
  [['--throttle', 'defaults', '--throttle', 'defaults'], '--throttle must name defaults only once, got it twice'],
  [['--reserve', 'lease=1', '--reserve', 'lease=2'], '--reserve must name lease only once, got it twice'],
  [['--memory', '--data', 'x'], /one place only, got --memory and --data; leave out all but one$/],
  [['--data', 'x', '--dynamodb', 'http://x'], /one place only, got --data and --dynamodb/],
])('%j is refused in words', (argv, message) => {
  expect(() => parseOptions(argv)).toThrow(message);
  expect(() => parseOptions(argv)).toThrow(expect.objectContaining({ name: 'StartError' }));
});
