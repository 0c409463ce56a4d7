import { bodyProblems, commonProblems, operationDocs, problemTitles } from '../../../../sdk/wire/documentation.ts';
import { problemStatuses } from '../../../../sdk/wire/problems.ts';
import { routes } from '../../../../sdk/wire/routes.ts';

describe('the documentation of the contract', () => {
  it('has a title of its own for each problem', () => {
    const codes = Object.keys(problemStatuses);
    expect(Object.keys(problemTitles)).toEqual(codes);
    expect(new Set(Object.values(problemTitles)).size).toBe(codes.length);
  });

  it('says of each operation what it does', () => {
    expect(Object.keys(operationDocs)).toEqual(Object.keys(routes));
    for (const { summary } of Object.values(operationDocs)) expect(summary).toMatch(/^[A-Z].*\.$/);
  });

  it('has these problems for any route, and these for a route with a body', () => {
    expect(commonProblems).toEqual(['invalid-request', 'forbidden', 'throttled', 'internal', 'store-unavailable']);
    expect(bodyProblems).toEqual(['too-large', 'unsupported-media-type']);
  });

  it('has each problem under the routes that answer it, and under no other heading', () => {
    const own = Object.values(operationDocs).flatMap(({ problems }) => problems);
    expect(new Set([...commonProblems, ...bodyProblems, ...own])).toEqual(new Set(Object.keys(problemStatuses)));
    for (const code of own) expect([...commonProblems, ...bodyProblems]).not.toContain(code);
  });
});
