/** What goes back to the client. A header with several values is sent several times. */
export interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

function gatewayAnswer(statusCode: number, message: string): Answer {
  return {
    statusCode,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ message })),
  };
}

/** What the gateway answers by itself, without or in place of a function. */
export const gatewayAnswers = {
  badRequest: gatewayAnswer(400, 'Bad Request'),
  forbidden: gatewayAnswer(403, 'Forbidden'),
  notFound: gatewayAnswer(404, 'Not Found'),
  requestTooLong: gatewayAnswer(413, 'Request Too Long'),
  tooManyRequests: gatewayAnswer(429, 'Too Many Requests'),
  headersTooLarge: gatewayAnswer(431, 'Request Header Fields Too Large'),
  internalServerError: gatewayAnswer(500, 'Internal Server Error'),
  serviceUnavailable: gatewayAnswer(503, 'Service Unavailable'),
} as const;
