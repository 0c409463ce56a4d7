import { runParts } from './run-parts.ts';
import { protectedLoad, unprotectedLoad } from './waiters-and-holders.ts';

// Whether waiters keep holders from renewing and releasing, on a local stack that limits what it takes as AWS does.

runParts('bench:bulkhead', {
  // In an account with few slots, and with the usual number of them.
  'throttles:20': protectedLoad('20 slots, throttles', ['--concurrency', '20', '--throttle', 'defaults']),
  'throttles:1000': protectedLoad('1,000 slots, throttles', ['--concurrency', '1000', '--throttle', 'defaults']),
  // The throttles that go with the reservation, and the reservation alone.
  'reserved:throttles': protectedLoad('40 slots, 20 reserved for renewals, throttles', [
    ...['--concurrency', '40', '--reserve', 'lease=20', '--throttle', 'defaults'],
  ]),
  'reserved:alone': protectedLoad('40 slots, 20 reserved for renewals', [
    '--concurrency',
    '40',
    '--reserve',
    'lease=20',
  ]),
  unprotected: unprotectedLoad('20 slots, nothing else', ['--concurrency', '20']),
});
