import { inspect } from 'node:util';
import { StoreFailedError, StoreUnavailableError } from '../../../../lambda/service/lock-store.ts';
import { storeError } from '../../../../lambda/store/dynamodb-error.ts';
import { alice } from '../../../support/lock-items.ts';
import { expectNoSecretIn } from '../../../support/secrets.ts';

// As the AWS SDK throws it.
function thrown(name: string, attempts = 1): Error {
  const $metadata = { attempts, requestId: 'r-1', httpStatusCode: 400 };
  return Object.assign(new Error('the reason'), { name, $fault: 'client', $metadata });
}

describe('what a DynamoDB call threw', () => {
  it.each(['AccessDeniedException', 'ResourceNotFoundException', 'ValidationException', 'CredentialsProviderError'])(
    'failed for good when it was refused at its first attempt: %s',
    (name) => {
      const error = storeError('claim', thrown(name));
      expect(error).toBeInstanceOf(StoreFailedError);
      expect(error.message).toBe(`claim: DynamoDB answered ${name}: the reason (request r-1)`);
    },
  );

  it.each(['AccessDeniedException', 'ResourceNotFoundException', 'ValidationException'])(
    'is of unknown outcome when an earlier attempt may have been applied: %s',
    (name) => {
      expect(storeError('claim', thrown(name, 2))).toBeInstanceOf(StoreUnavailableError);
    },
  );

  it.each(['TimeoutError', 'InternalServerError', 'ThrottlingException', 'ReplicatedWriteConflictException', 'Error'])(
    'is of unknown outcome: %s',
    (name) => {
      expect(storeError('claim', thrown(name))).toBeInstanceOf(StoreUnavailableError);
    },
  );

  it.each([
    ['says that it was answered', 'ThrottlingException', 400, true],
    ['says that it was answered', 'InternalServerError', 500, true],
    ['says that it was answered, if not readably', 'SyntaxError', undefined, true],
    ['says that nothing was heard', 'TimeoutError', undefined, false],
    ['says that nothing was heard', 'ECONNREFUSED', undefined, false],
  ])('%s: %s', (_, name, httpStatusCode, answered) => {
    const $metadata = { attempts: 3, ...(httpStatusCode && { httpStatusCode, requestId: 'r-1' }) };
    const error = storeError('claim', Object.assign(new Error('the reason'), { name, $metadata }));
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({ answered, requestId: httpStatusCode ? 'r-1' : undefined });
  });

  it.each([
    ['AccessDeniedException', true],
    ['UnrecognizedClientException', true],
    ['InvalidSignatureException', true],
    ['MissingAuthenticationTokenException', true],
    ['IncompleteSignatureException', true],
    ['ExpiredTokenException', true],
    ['ResourceNotFoundException', false],
    ['ValidationException', false],
    ['ItemCollectionSizeLimitExceededException', false],
    ['CredentialsProviderError', false],
  ])('says whether the caller is not authorized: %s', (name, forbidden) => {
    expect(storeError('claim', thrown(name))).toMatchObject({ forbidden, requestId: 'r-1' });
  });

  it('failed for good when no Region is given', () => {
    expect(storeError('claim', new Error('Region is missing'))).toBeInstanceOf(StoreFailedError);
  });

  it.each([undefined, null, 'a text', 42, {}])('is of unknown outcome when it is %j', (value) => {
    const error = storeError('claim', value);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error.message).toBe('claim: DynamoDB answered Error: ');
  });

  it('is not kept: nothing of the original can be read out', () => {
    const original = Object.assign(thrown('TransactionConflictException'), {
      Item: { owner: { S: alice } },
      $response: { body: alice },
      cause: new Error(alice),
    });
    expect(inspect(original, { showHidden: true, depth: null })).toContain(alice);
    const error = storeError('claim', original);
    expectNoSecretIn(error, alice);
    expect(error.cause).toBeUndefined();
  });

  it('is not quoted when a parser quotes the answer', () => {
    let quoting: unknown;
    try {
      JSON.parse(`${alice} is not JSON`);
    } catch (error) {
      quoting = error;
    }
    expect((quoting as Error).message).toContain(alice.slice(0, 8));
    expectNoSecretIn(storeError('claim', quoting), alice);
  });
});
