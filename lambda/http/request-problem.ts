import type { Problem, ProblemCode } from '../../sdk/wire/problems.ts';

/** What a problem may carry besides its code and detail. */
export type ProblemMembers = Partial<Omit<Problem, 'type' | 'title' | 'status' | 'detail' | 'code' | 'requestId'>>;

/** A request that is answered with a problem before the service is asked. */
export class RequestProblem extends Error {
  override name = 'RequestProblem' as const;

  constructor(
    readonly code: ProblemCode,
    detail: string,
    readonly members: ProblemMembers = {},
  ) {
    super(detail);
  }
}
