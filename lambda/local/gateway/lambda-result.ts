import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Answer } from './answer.ts';

// The gateway frames the message itself.
const framing = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade']);

/**
 * Reads what a function returned, as payload format 2.0 defines it: an object with a `statusCode` is a response;
 * anything else is the body of a 200.
 *
 * @returns nothing when it is neither, which the gateway answers with 500
 */
export function answerOf(result: unknown): Answer | undefined {
  try {
    // What a function returns leaves it as JSON.
    const json = JSON.stringify(result ?? null);
    const value: unknown = JSON.parse(json);
    if (typeof value === 'string') return implied(value);
    if (typeof value !== 'object' || value === null || !('statusCode' in value)) return implied(json);
    return structured(value);
  } catch {
    return undefined;
  }
}

function implied(body: string): Answer {
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
}

function structured(response: { statusCode?: unknown }): Answer | undefined {
  const { headers = {}, cookies, body = '', isBase64Encoded = false } = response as Record<string, unknown>;
  const statusCode = Number(response.statusCode);
  if (!Number.isInteger(statusCode) || statusCode < 200 || statusCode > 599) return undefined;
  if (typeof body !== 'string' || typeof headers !== 'object' || headers === null) return undefined;
  const sent: Record<string, string | string[]> = { 'content-type': 'text/plain;charset=UTF-8' };
  for (const [name, value] of Object.entries(headers)) {
    const lowerCase = name.toLowerCase();
    if (framing.has(lowerCase)) continue;
    validateHeaderName(lowerCase);
    validateHeaderValue(lowerCase, String(value));
    sent[lowerCase] = String(value);
  }
  if (Array.isArray(cookies)) {
    sent['set-cookie'] = cookies.map(String);
    for (const cookie of sent['set-cookie']) validateHeaderValue('set-cookie', cookie);
  }
  return { statusCode, headers: sent, body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') };
}
