import { StoreFailedError, StoreUnavailableError } from '../service/lock-store.ts';

interface AwsError {
  readonly name?: string;
  readonly message?: string;
  readonly $metadata?: { readonly requestId?: string; readonly attempts?: number };
}

// Errors by which DynamoDB refuses the call itself: it did nothing, and will do nothing next time either.
const definite = new Set([
  'AccessDeniedException',
  'ResourceNotFoundException',
  'ValidationException',
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'MissingAuthenticationTokenException',
  'IncompleteSignatureException',
  'ExpiredTokenException',
  'CredentialsProviderError',
  'ItemCollectionSizeLimitExceededException',
]);

/**
 * Turns whatever a DynamoDB call threw into the store's own error: name, message and request id, and nothing of the
 * original object, whose `Item` holds owner tokens.
 *
 * A call that was refused at its first attempt did nothing. Anything else is of unknown outcome: an earlier attempt of
 * the same call may have been applied before its reply was lost.
 */
export function storeError(operation: string, thrown: unknown): StoreFailedError | StoreUnavailableError {
  const { name = 'Error', message = '', $metadata = {} } = (thrown ?? {}) as AwsError;
  const { requestId, attempts = 1 } = $metadata;
  // A parser quotes what it could not read, and answers hold owner tokens.
  const reason = name === 'SyntaxError' ? 'the answer is not readable' : message;
  const text = `${operation}: DynamoDB answered ${name}: ${reason}${requestId ? ` (request ${requestId})` : ''}`;
  return definite.has(name) && attempts <= 1 ? new StoreFailedError(text) : new StoreUnavailableError(text);
}
