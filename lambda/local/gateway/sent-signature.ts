/** What an `Authorization` header of Signature Version 4 says. */
export interface SentSignature {
  readonly accessKeyId: string;
  readonly date: Date;
  readonly region: string;
  readonly service: string;
  /** Lower-case, in the order of the signature. */
  readonly signedHeaders: readonly string[];
  /** The whole header in the signer's own spelling. */
  readonly normalized: string;
}

const parts =
  /^AWS4-HMAC-SHA256\s+Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request\s*,\s*SignedHeaders=([^,\s]+)\s*,\s*Signature=([0-9a-f]{64})$/;
const basicFormat = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/**
 * Reads a signature, or gives nothing when it is not one: another scheme, a scope of another day than `x-amz-date`, or
 * a signature that does not cover host and date.
 */
export function parseSignature(authorization: string, amzDate: string): SentSignature | undefined {
  const [, accessKeyId = '', day = '', region = '', service = '', names = '', signature] =
    parts.exec(authorization) ?? [];
  if (signature === undefined || !basicFormat.test(amzDate) || !amzDate.startsWith(day)) return undefined;
  const date = new Date(amzDate.replace(basicFormat, '$1-$2-$3T$4:$5:$6Z'));
  const signedHeaders = names.split(';');
  if (Number.isNaN(date.getTime()) || !signedHeaders.includes('host') || !signedHeaders.includes('x-amz-date')) {
    return undefined;
  }
  const normalized = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${day}/${region}/${service}/aws4_request, SignedHeaders=${names}, Signature=${signature}`;
  return { accessKeyId, date, region, service, signedHeaders, normalized };
}
