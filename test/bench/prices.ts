/** A list price: US dollars for one unit, in us-east-1, without free tiers and discounts. */
export interface Price {
  readonly dollars: number;
  readonly unit: string;
  /** The provider's page, and where the figure was read: that page draws its tables in the browser. */
  readonly page: string;
  readonly readAt: string;
}

/** Looked up in November 2026. Check them before you rely on them: prices change, and other Regions cost more. */
export const prices = {
  httpApiRequest: {
    dollars: 1.0 / 1e6,
    unit: 'request to an HTTP API (the first 300 million a month, up to 512 KB each)',
    page: 'https://aws.amazon.com/api-gateway/pricing/',
    readAt: 'https://awsforengineers.com/blog/aws-api-gateway-pricing-explained (May 2025)',
  },
  lambdaRequest: {
    dollars: 0.2 / 1e6,
    unit: 'invocation of a function',
    page: 'https://aws.amazon.com/lambda/pricing/',
    readAt: 'https://cloudchipr.com/blog/aws-lambda-pricing (2024)',
  },
  lambdaGbSecond: {
    dollars: 0.0000133334,
    unit: 'GB-second of a function on arm64',
    page: 'https://aws.amazon.com/lambda/pricing/',
    readAt: 'https://cloudchipr.com/blog/aws-lambda-pricing (2024)',
  },
  writeUnit: {
    dollars: 0.625 / 1e6,
    unit: 'write request unit of DynamoDB, on demand, Standard class',
    page: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
    readAt: 'https://airbyte.com/data-engineering-resources/dynamodb-pricing (July 2025)',
  },
  readUnit: {
    dollars: 0.125 / 1e6,
    unit: 'read request unit of DynamoDB, on demand, Standard class',
    page: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
    readAt: 'https://airbyte.com/data-engineering-resources/dynamodb-pricing (July 2025)',
  },
  logGb: {
    dollars: 0.5,
    unit: 'GB taken in by CloudWatch Logs, Standard class',
    page: 'https://aws.amazon.com/cloudwatch/pricing/',
    readAt: 'https://c3x.dev/blog/cloudwatch-logs-cost-optimization (June 2026)',
  },
} as const satisfies Record<string, Price>;
