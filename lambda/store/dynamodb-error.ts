import { StoreFailedError, StoreUnavailableError } from '../service/lock-store.ts';

interface AwsError {
  readonly name?: string;
  readonly message?: string;
  readonly $metadata?: {
    readonly requestId?: string;
    readonly attempts?: number;
    /** Absent when there was no answer. */
    readonly httpStatusCode?: number;
  };
}

// Errors by which DynamoDB says that it does not authorize the caller.
const forbidding = new Set([
  'AccessDeniedException',
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'MissingAuthenticationTokenException',
  'IncompleteSignatureException',
  'ExpiredTokenException',
]);

// The others by which it refuses the call itself: it did nothing, and will do nothing next time either.
const definite = new Set([
  'ResourceNotFoundException',
  'ValidationException',
  'CredentialsProviderError',
  'ItemCollectionSizeLimitExceededException',
]);

// The client's own, before anything is sent. It has no name.
const noRegion = 'Region is missing';

/**
 * Turns whatever a DynamoDB call threw into the store's own error: name, message and request id, and nothing of the
 * original object, whose `Item` holds owner tokens.
 *
 * A call that was refused at its first attempt did nothing. Anything else is of unknown outcome: an earlier attempt of
 * the same call may have been applied before its reply was lost.
 */
export function storeError(operation: string, thrown: unknown): StoreFailedError | StoreUnavailableError {
  const { name = 'Error', message = '', $metadata = {} } = (thrown ?? {}) as AwsError;
  const { requestId, attempts = 1, httpStatusCode } = $metadata;
  // A parser quotes what it could not read, and answers hold owner tokens.
  const unreadable = name === 'SyntaxError';
  const reason = unreadable ? 'the answer is not readable' : message;
  const text = `${operation}: DynamoDB answered ${name}: ${reason}${requestId ? ` (request ${requestId})` : ''}`;
  const forbidden = forbidding.has(name);
  const failed = forbidden || definite.has(name) || message === noRegion;
  if (failed && attempts <= 1) return new StoreFailedError(text, { forbidden, requestId });
  return new StoreUnavailableError(text, { answered: unreadable || httpStatusCode !== undefined, requestId });
}
