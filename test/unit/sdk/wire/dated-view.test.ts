import { datedView } from '../../../../sdk/wire/dated-view.ts';
import { lockViewSchema } from '../../../../sdk/wire/lock-view.ts';

describe('a lock as it is shown', () => {
  it('has its times as text', () => {
    const view = datedView({ lockId: 'a', state: 'held', since: 0, until: 1_800_000_000_123, waiters: 1 });
    expect(view).toEqual({
      lockId: 'a',
      state: 'held',
      since: '1970-01-01T00:00:00.000Z',
      expiresAt: '2027-01-15T08:00:00.123Z',
      waiters: 1,
    });
    expect(lockViewSchema.parse(view)).toEqual(view);
  });

  it('has none where there are none', () => {
    expect(Object.keys(datedView({ lockId: 'a', state: 'free', waiters: 0 }))).toEqual(['lockId', 'state', 'waiters']);
  });
});
