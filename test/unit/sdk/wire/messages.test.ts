import { leaseSchema, requestSchemas } from '../../../../sdk/wire/messages.ts';

const schemas = requestSchemas();
const ownerToken = 'x'.repeat(22);

type Name = keyof typeof schemas;

const least: Record<Name, object> = {
  try: {},
  acquire: {},
  renew: { ownerToken },
  release: { ownerToken },
  break: { fencingToken: 1 },
  list: {},
};

const accepts = (name: Name, more: object) => schemas[name].safeParse({ ...least[name], ...more }).success;

describe('request', () => {
  it.each([
    ['try', { leaseMs: 30_000 }],
    ['acquire', { leaseMs: 30_000, waitMs: 20_000, confirm: false, keepPlace: false, resume: false }],
    ['renew', { ownerToken, leaseMs: 30_000 }],
    ['release', { ownerToken, expectWaiters: false, heirFirst: false }],
    ['break', { fencingToken: 1 }],
    ['list', { prefix: '', state: 'held', limit: 100 }],
  ] as const)('%s has its defaults', (name, filled) => {
    expect(schemas[name].parse(least[name])).toEqual(filled);
  });

  it('has a default lease no longer than the deployment allows', () => {
    expect(requestSchemas(5_000).try.parse({})).toEqual({ leaseMs: 5_000 });
    expect(requestSchemas(60_000).try.parse({})).toEqual({ leaseMs: 30_000 });
  });

  it.each(['renew', 'release'] as const)('%s needs an owner token, and break a fencing token', (name) => {
    expect(schemas[name].safeParse({}).success).toBe(false);
    expect(schemas.break.safeParse({}).success).toBe(false);
  });

  const holders: Name[] = ['try', 'acquire', 'renew'];
  const tokens: Name[] = ['try', 'acquire', 'renew', 'release'];

  describe.each(tokens)('%s: ownerToken', (name) => {
    it.each(['x'.repeat(22), 'x'.repeat(43), 'AZaz09_-AZaz09_-AZaz09'])('may be %s', (token) => {
      expect(accepts(name, { ownerToken: token })).toBe(true);
    });

    it.each([
      'x'.repeat(21),
      'x'.repeat(44),
      `${'x'.repeat(22)}\n`,
      'é'.repeat(22),
      `${'x'.repeat(21)}=`,
      '',
      42,
      null,
      {},
      [],
    ])('may not be %j', (token) => {
      expect(accepts(name, { ownerToken: token })).toBe(false);
    });
  });

  describe.each(holders)('%s: leaseMs', (name) => {
    it.each([1_000, 1_001, 30_000, 86_400_000])('may be %d', (leaseMs) => {
      expect(accepts(name, { leaseMs })).toBe(true);
    });

    it.each([999, 86_400_001, 0, -1, 1_000.5, Number.NaN, Number.POSITIVE_INFINITY, '30000', null, true])(
      'may not be %p',
      (leaseMs) => {
        expect(accepts(name, { leaseMs })).toBe(false);
      },
    );

    it('ends at what the deployment allows', () => {
      const own = requestSchemas(60_000)[name];
      expect(own.safeParse({ ...least[name], leaseMs: 60_000 }).success).toBe(true);
      expect(own.safeParse({ ...least[name], leaseMs: 60_001 }).success).toBe(false);
    });
  });

  const labels: [Name, string][] = [...holders.map((name): [Name, string] => [name, 'holder']), ['break', 'note']];

  describe.each(labels)('%s: %s', (name, field) => {
    it.each(['a', 'x'.repeat(256), 'é'.repeat(128), 'שלום 🔒'])('may be %j', (text) => {
      expect(accepts(name, { [field]: text })).toBe(true);
    });

    it.each(['', 'x'.repeat(257), `${'é'.repeat(128)}x`, 'a\nb', 'a\u202Eb', '\x1B', 'a\uD800', 42, null, {}])(
      'may not be %j',
      (text) => {
        expect(accepts(name, { [field]: text })).toBe(false);
      },
    );
  });

  describe('acquire', () => {
    it.each([0, 1, 20_000])('waitMs may be %d', (waitMs) => expect(accepts('acquire', { waitMs })).toBe(true));
    it.each([-1, 20_001, 0.5, '0', null, Number.NaN])('waitMs may not be %p', (waitMs) =>
      expect(accepts('acquire', { waitMs })).toBe(false),
    );
    it.each([true, false])('confirm may be %p', (confirm) => expect(accepts('acquire', { confirm })).toBe(true));
    it.each(['true', 1, null])('confirm may not be %p', (confirm) =>
      expect(accepts('acquire', { confirm })).toBe(false),
    );
  });

  describe('break', () => {
    it.each([1, Number.MAX_SAFE_INTEGER])('fencingToken may be %d', (fencingToken) =>
      expect(accepts('break', { fencingToken })).toBe(true),
    );
    it.each([0, -1, 1.5, Number.MAX_SAFE_INTEGER + 1, '1', null])('fencingToken may not be %p', (fencingToken) =>
      expect(accepts('break', { fencingToken })).toBe(false),
    );
  });

  describe('list', () => {
    it.each([1, 100, 1_000])('limit may be %d', (limit) => expect(accepts('list', { limit })).toBe(true));
    it.each([0, 1_001, 1.5, '100', null])('limit may not be %p', (limit) =>
      expect(accepts('list', { limit })).toBe(false),
    );
    it.each(['held', 'over', 'free', 'all'])('state may be %s', (state) =>
      expect(accepts('list', { state })).toBe(true),
    );
    it.each(['provisional', 'HELD', '', null])('state may not be %p', (state) =>
      expect(accepts('list', { state })).toBe(false),
    );
    it.each(['', 'orders-', 'é'])('prefix may be %j', (prefix) => expect(accepts('list', { prefix })).toBe(true));
    it.each(['\uD800', 1, null])('prefix may not be %j', (prefix) => expect(accepts('list', { prefix })).toBe(false));
    it.each(['a'])('cursor may be %j', (cursor) => expect(accepts('list', { cursor })).toBe(true));
    it.each([1, null, {}])('cursor may not be %j', (cursor) => expect(accepts('list', { cursor })).toBe(false));
  });

  describe.each(Object.keys(least) as Name[])('%s', (name) => {
    it.each(['nonsense', 'lockId', 'OwnerToken', 'constructor', 'toString', '', ' leaseMs'])(
      'may not have a field %j',
      (field) => {
        expect(accepts(name, { [field]: 1 })).toBe(false);
      },
    );

    it('may not have a field __proto__', () => {
      const body = JSON.parse(
        `{"__proto__": {"leaseMs": 5000}, ${JSON.stringify(least[name]).slice(1)}`.replace(', }', '}'),
      );
      expect(Object.keys(body)).toContain('__proto__');
      expect(schemas[name].safeParse(body).success).toBe(false);
    });

    it.each([null, undefined, 42, 'text', true, [], [least[name]]])('may not be %j', (body) => {
      expect(schemas[name].safeParse(body).success).toBe(false);
    });
  });

  it('does not have the fields of another', () => {
    expect(accepts('try', { waitMs: 0 })).toBe(false);
    expect(accepts('renew', { confirm: true })).toBe(false);
    expect(accepts('release', { leaseMs: 1_000 })).toBe(false);
    expect(accepts('break', { ownerToken })).toBe(false);
  });

  it('says in its own words what it allows, for every fault at once', () => {
    const { error } = schemas.acquire.safeParse({
      ownerToken: 'short',
      leaseMs: 1,
      waitMs: -1,
      confirm: 'yes',
      holder: '',
    });
    expect(error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`)).toEqual([
      'ownerToken must be 22 to 43 characters of A-Za-z0-9_-',
      'holder must be text of 1 to 256 UTF-8 bytes without control or bidirectional formatting characters',
      'leaseMs must be a whole number from 1000 to 86400000 milliseconds',
      'waitMs must be a whole number from 0 to 20000 milliseconds',
      'confirm must be true or false',
    ]);
  });
});

describe('lease', () => {
  const lease = {
    lockId: 'a',
    ownerToken,
    fencingToken: 1,
    leaseMs: 30_000,
    expiresInMs: 30_000,
    expiresAt: '2027-01-15T08:00:00.000Z',
    provisional: false,
    waiters: 0,
  };

  it('fits its schema', () => {
    expect(leaseSchema.parse(lease)).toEqual(lease);
  });

  it.each(Object.keys(lease))('needs %s', (field) => {
    expect(leaseSchema.safeParse({ ...lease, [field]: undefined }).success).toBe(false);
  });

  it.each([
    ['fencingToken', 0],
    ['fencingToken', 1.5],
    ['leaseMs', -1],
    ['waiters', -1],
    ['provisional', 'no'],
  ])('may not have %s %p', (field, value) => {
    expect(leaseSchema.safeParse({ ...lease, [field]: value }).success).toBe(false);
  });
});

describe('a place in line', () => {
  it.each(['keepPlace', 'resume'])('%s needs an owner token beside it: there is no coming back without', (name) => {
    expect(accepts('acquire', { ownerToken, [name]: true })).toBe(true);
    expect(accepts('acquire', { ownerToken: undefined, [name]: false })).toBe(true);
    const refused = schemas.acquire.safeParse({ [name]: true });
    expect(refused.error?.issues).toMatchObject([{ path: [name], message: 'needs an ownerToken beside it' }]);
  });
});

it('an heir that goes first must be there', () => {
  const heir = { ownerToken: 'h'.repeat(22) };
  expect(accepts('release', { heir, heirFirst: true })).toBe(true);
  expect(accepts('release', { heirFirst: true })).toBe(false);
  expect(accepts('release', { heirFirst: false })).toBe(true);
});

describe('an heir', () => {
  const heir = { ownerToken: 'h'.repeat(22) };

  it('has the default lease, and may have a label', () => {
    expect(schemas.release.parse({ ownerToken, heir }).heir).toEqual({ ...heir, leaseMs: 30_000 });
    expect(accepts('release', { heir: { ...heir, leaseMs: 1_000, holder: 'next' } })).toBe(true);
  });

  it.each([
    ['no token', { leaseMs: 5_000 }],
    ['a lease that is too short', { ...heir, leaseMs: 999 }],
    ['a field that is unknown', { ...heir, waitMs: 1 }],
    ['a label with a line break', { ...heir, holder: 'a\nb' }],
    ['no fields at all', 'heir'],
  ])('with %s is refused', (_name, wrong) => {
    expect(accepts('release', { heir: wrong })).toBe(false);
  });
});
