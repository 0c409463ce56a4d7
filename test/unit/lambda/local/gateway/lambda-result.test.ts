import { answerOf } from '../../../../../lambda/local/gateway/lambda-result.ts';

function shown(result: unknown) {
  const answer = answerOf(result);
  return answer && { ...answer, body: answer.body.toString() };
}

test('a structured response is sent as it is', () => {
  const headers = { 'Content-Type': 'application/problem+json', 'Retry-After': 2 };
  expect(shown({ statusCode: 409, headers, body: 'held', cookies: ['a=1', 'b=2'] })).toEqual({
    statusCode: 409,
    headers: { 'content-type': 'application/problem+json', 'retry-after': '2', 'set-cookie': ['a=1', 'b=2'] },
    body: 'held',
  });
});

test('a response without a type is plain text, and a body may be left out', () => {
  expect(shown({ statusCode: 204 })).toEqual({
    statusCode: 204,
    headers: { 'content-type': 'text/plain;charset=UTF-8' },
    body: '',
  });
});

test('a base64 body is sent decoded', () => {
  expect(answerOf({ statusCode: 200, body: 'AP+A', isBase64Encoded: true })?.body).toEqual(Buffer.from([0, 255, 128]));
});

test.each([
  [{ locks: [] }, '{"locks":[]}'],
  [[1], '[1]'],
  ['Hello', 'Hello'],
  [undefined, 'null'],
  [7, '7'],
])('%j without a status code is the body of a 200', (result, body) => {
  expect(shown(result)).toEqual({ statusCode: 200, headers: { 'content-type': 'application/json' }, body });
});

test('the gateway frames the message itself', () => {
  const headers = { 'content-length': '999', connection: 'upgrade', 'transfer-encoding': 'chunked', 'x-own': '1' };
  expect(Object.keys(answerOf({ statusCode: 200, headers })?.headers ?? {})).toEqual(['content-type', 'x-own']);
});

test.each([
  [{ statusCode: 'ok' }],
  [{ statusCode: null }],
  [{ statusCode: 20 }],
  [{ statusCode: 200, body: { not: 'text' } }],
  [{ statusCode: 200, headers: 'none' }],
  [{ statusCode: 200, headers: { 'x-bad': 'a\r\nb' } }],
  [{ statusCode: 200, headers: { 'bad name': 'a' } }],
  [{ statusCode: 200, cookies: ['a\r\nb'] }],
  [{ statusCode: 200, body: 1n }],
])('%# what is no response at all is none', (result) => {
  expect(answerOf(result)).toBeUndefined();
});
