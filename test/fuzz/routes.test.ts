import fc from 'fast-check';
import { limits } from '../../sdk/wire/limits.ts';
import { routes } from '../../sdk/wire/routes.ts';
import {
  type HandlersUnderTest,
  type HttpAnswer,
  handlersUnderTest,
  madeToken,
} from '../support/handlers-under-test.ts';
import { type Generated, requests, tokens } from './requests.ts';

// Requests that are sent together, and how long nothing is sent after them: at most longer than a lease of 30 s.
const step = fc.record({
  together: fc.array(requests, { minLength: 1, maxLength: 4 }),
  pauseMs: fc.constantFrom(0, 0, 500, 3_000, 40_000),
});
const steps = fc.array(step, { minLength: 5, maxLength: 30 });

/** The answer without what it may tell: a lease has the token of its own caller. */
function withoutOwnToken({ operation }: Generated, { status, body }: HttpAnswer): unknown {
  if (status !== 200) return body;
  const { ownerToken: _, ...lease } = body;
  if (operation === 'release') return body.heir ? { ...body, heir: { ...body.heir, ownerToken: '' } } : body;
  return ['try', 'acquire', 'renew'].includes(operation) ? lease : body;
}

async function sent(under: HandlersUnderTest, request: Generated): Promise<HttpAnswer> {
  const answer = await under.send(request.operation, request.sent);
  const { status, body } = answer;
  const shown = `${status} ${JSON.stringify(body)}`;
  if (status >= 500) throw new Error(`the service failed: ${shown}`);
  const refused = status === 400 || status === 413 || status === 415;
  if (request.expectation === 'valid' && refused) throw new Error(`a valid request was refused: ${shown}`);
  if (request.expectation === 'invalid' && !refused) throw new Error(`an invalid request was answered: ${shown}`);
  const told = JSON.stringify(withoutOwnToken(request, answer));
  for (const token of [...tokens, madeToken]) {
    if (told.includes(token)) throw new Error(`an owner token was told: ${shown}`);
  }
  return answer;
}

describe('every route', () => {
  it('answers 20,000 requests of every kind as its document says, and tells no owner token', async () => {
    const answers = new Map<string, number>();
    let count = 0;
    for (let seed = 1; count < 20_000; seed++) {
      await fc.assert(
        fc.asyncProperty(steps, async (all) => {
          const under = handlersUnderTest({ maxLeaseMs: limits.maxLeaseMs.ceiling });
          for (const { together, pauseMs } of all) {
            const replies = await Promise.all(together.map((request) => sent(under, request)));
            for (const [index, { status, body }] of replies.entries()) {
              const kind = `${together[index]?.operation} ${status} ${body.code ?? ''}`.trim();
              answers.set(kind, (answers.get(kind) ?? 0) + 1);
              count++;
            }
            await under.time.advance(pauseMs);
          }
          const log = JSON.stringify(under.log);
          for (const token of [...tokens, madeToken]) expect(log).not.toContain(token);
          expect(under.log.filter(({ level }) => level === 'error')).toEqual([]);
        }),
        { numRuns: 50, seed },
      );
    }
    // That nothing was found would mean little if some answers had never been given.
    const kinds = [...answers.keys()];
    for (const operation of Object.keys(routes)) expect(kinds).toContain(`${operation} 200`);
    expect(kinds).toEqual(
      expect.arrayContaining([
        'try 409 lock-held',
        'try 409 token-spent',
        'acquire 409 lock-held',
        'acquire 409 still-waiting',
        'acquire 409 place-lost',
        'renew 409 lease-lost',
        'release 409 lease-lost',
        'break 409 not-held',
        'try 400 invalid-request',
        'renew 413 too-large',
        'release 415 unsupported-media-type',
        'inspect 404',
      ]),
    );
  });
});
