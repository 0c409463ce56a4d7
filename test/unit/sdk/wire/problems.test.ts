import {
  lostReasons,
  type ProblemCode,
  problemMediaType,
  problemSchema,
  problemStatuses,
  problemType,
} from '../../../../sdk/wire/problems.ts';

describe('problems', () => {
  it('have the documented status each', () => {
    expect(problemStatuses).toEqual({
      'invalid-request': 400,
      forbidden: 403,
      'lock-held': 409,
      'still-waiting': 409,
      'place-lost': 409,
      'lease-lost': 409,
      'token-spent': 409,
      'holder-changed': 409,
      'not-held': 409,
      'too-large': 413,
      'unsupported-media-type': 415,
      throttled: 429,
      internal: 500,
      'store-unavailable': 503,
    });
  });

  it('have a type of their own each', () => {
    const codes = Object.keys(problemStatuses) as ProblemCode[];
    expect(new Set(codes.map(problemType)).size).toBe(codes.length);
    expect(problemType('lock-held')).toBe('urn:holdfast:problem:lock-held');
    for (const code of codes) expect(() => new URL(problemType(code))).not.toThrow();
    expect(problemMediaType).toBe('application/problem+json');
  });

  it('that a lease is lost have these reasons', () => {
    expect(lostReasons).toEqual(['superseded', 'broken', 'absent']);
  });

  const problem = { type: 't', title: 't', status: 409, detail: 'd', code: 'lease-lost' };

  it.each([
    ['the least', problem],
    ['a reason', { ...problem, reason: 'broken' }],
    ['faults', { ...problem, errors: [{ path: '/leaseMs', detail: 'd' }] }],
    ['a view', { ...problem, lock: { lockId: 'a', state: 'free', waiters: 0 } }],
  ])('fit their schema: %s', (_, body) => {
    expect(problemSchema.safeParse(body)).toMatchObject({ success: true });
  });

  it.each([
    ['an unknown code', { ...problem, code: 'nonsense' }],
    ['no code', { ...problem, code: undefined }],
    ['an unknown reason', { ...problem, reason: 'expired' }],
    ['a negative time', { ...problem, expiresInMs: -1 }],
    ['half a millisecond', { ...problem, retryAfterMs: 0.5 }],
  ])('do not fit their schema with %s', (_, body) => {
    expect(problemSchema.safeParse(body).success).toBe(false);
  });
});
