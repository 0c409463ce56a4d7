import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { requestSchemas } from '../../sdk/wire/messages.ts';
import { type FunctionName, type Operation, routes } from '../../sdk/wire/routes.ts';
import { traceOf } from '../../sdk/wire/traceparent.ts';
import type { LockService } from '../service/lock-service.ts';
import { StoreUnavailableError } from '../service/lock-store.ts';
import type { Outcome } from '../service/outcomes.ts';
import { type Authorization, principalOf } from './caller.ts';
import { type Measured, type Metrics, measuredOf } from './metrics.ts';
import { type Heir, type Request, requestOf, routeOf } from './request.ts';
import { RequestProblem } from './request-problem.ts';
import { notFound, problemResponse, responseOf } from './response.ts';

/** Where a function writes its structured log. Fields hold no owner tokens. */
export interface Log {
  info(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
  error(message: string, fields: Record<string, unknown>): void;
}

export interface HandlerConfig {
  readonly function: FunctionName;
  readonly service: LockService;
  readonly authorization: Authorization;
  /** The longest lease that may be asked for, milliseconds. */
  readonly maxLeaseMs: number;
  readonly newOwnerToken: () => string;
  readonly log: Log;
  readonly metrics: Metrics;
}

export type Handler = (
  event: APIGatewayProxyEventV2,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<APIGatewayProxyStructuredResultV2>;

// A wait leaves this much of the function's time for the store's last answer, which may take 5 s. (A store that is slow
// twice in a row outlives the function: the caller gets 503 and repeats.)
const reserveMs = 6_000;

/**
 * Makes the handler of one function: event in, documented answer out, whatever is sent. What is not a problem of the
 * contract is `internal`, with the request id and without a stack.
 */
export function createHandler(config: HandlerConfig): Handler {
  const { service, authorization, log, metrics } = config;
  const served = Object.values(routes).filter((route) => route.function === config.function);
  const schemas = requestSchemas(config.maxLeaseMs);

  async function outcomeOf(request: Request, principal: string, remainingMs: number): Promise<Outcome> {
    switch (request.operation) {
      case 'try':
        return service.try(attempt(request, principal));
      case 'acquire': {
        const waitMs = Math.max(0, Math.min(request.waitMs, remainingMs - reserveMs));
        const { confirm, keepPlace, resume } = request;
        return service.acquire({ ...attempt(request, principal), waitMs, confirm, keepPlace, resume });
      }
      case 'renew':
        return service.renew(attempt(request, principal));
      case 'release': {
        const { lockId, ownerToken, expectWaiters, heir, heirFirst } = request;
        return service.release({
          lockId,
          ownerToken,
          expectWaiters,
          heir: heir && heirOf(heir, principal),
          heirFirst,
        });
      }
      case 'inspect':
        return service.inspect(request.lockId);
      case 'list':
        return service.list(request);
      case 'break':
        return service.break(request);
    }
  }

  function attempt(
    request: { lockId: string; ownerToken?: string | undefined; leaseMs: number; holder?: string | undefined },
    principal: string,
  ) {
    const { lockId, ownerToken = config.newOwnerToken(), leaseMs, holder } = request;
    return { lockId, ...heirOf({ ownerToken, leaseMs, holder }, principal) };
  }

  function heirOf({ ownerToken, leaseMs, holder }: Heir, principal: string) {
    return { ownerToken, leaseMs, identity: { holder, principal } };
  }

  return async (event, context) => {
    const { requestId } = event.requestContext;
    const fields: Record<string, unknown> = { requestId, ...traceOf(event.headers['traceparent'] ?? '') };
    let operation: Operation | undefined;
    const measure = (measured: Measured) => operation && metrics.add(operation, measured);
    try {
      const route = routeOf(event, served);
      if (!route) return notFound;
      operation = route.operation;
      fields['operation'] = operation;
      const principal = principalOf(event, authorization);
      fields['principal'] = principal;
      const request = requestOf(event, route, schemas);
      if (request.operation !== 'list') fields['lockId'] = request.lockId;
      const outcome = await outcomeOf(request, principal, context.getRemainingTimeInMillis());
      logOutcome(log, request, outcome, fields);
      measure(measuredOf(operation, outcome));
      return responseOf(outcome, requestId);
    } catch (error) {
      if (error instanceof RequestProblem) {
        if (error.code === 'forbidden') log.warn('forbidden', fields);
        return problemResponse(error.code, error.message, requestId, error.members);
      }
      if (error instanceof StoreUnavailableError) {
        log.error('store unavailable', { ...fields, cause: error.message });
        measure({ StoreUnavailable: 1 });
        const detail = 'the store gave no answer in time; repeat the request with the same owner token';
        return problemResponse('store-unavailable', detail, requestId);
      }
      log.error('internal error', { ...fields, cause: error instanceof Error ? error.stack : String(error) });
      measure({ InternalErrors: 1 });
      return problemResponse('internal', 'the service failed; its log has the cause under this request id', requestId);
    }
  };
}

// No line for a success, nor for a lock that is simply held: they would cost more than the lock.
function logOutcome(log: Log, request: Request, outcome: Outcome, fields: Record<string, unknown>): void {
  if (outcome.kind === 'lease-lost') log.info('lease lost', { ...fields, reason: outcome.reason });
  if (outcome.kind === 'broken' && request.operation === 'break') {
    const { holder, principal: brokenPrincipal } = outcome;
    const { fencingToken, note } = request;
    log.warn('hold broken', { ...fields, fencingToken, note, brokenHolder: holder, brokenPrincipal });
  }
}
