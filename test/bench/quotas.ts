/** A limit of AWS: a default, for an account in a Region unless it says otherwise. */
export interface Quota {
  readonly value: number;
  readonly what: string;
  /** Whether one may ask for more. */
  readonly canBeRaised: boolean;
  readonly page: string;
}

const dynamoDbGuide = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide';
const lambdaGuide = 'https://docs.aws.amazon.com/lambda/latest/dg';

/** Read in November 2026. Check them before you rely on them. */
export const quotas = {
  partitionWrites: {
    value: 1_000,
    what: 'write units a second of one partition of a table, so of one lock',
    canBeRaised: false,
    page: `${dynamoDbGuide}/warm-throughput-scenarios.html`,
  },
  partitionReads: {
    value: 3_000,
    what: 'read units a second of one partition of a table, so of one lock',
    canBeRaised: false,
    page: `${dynamoDbGuide}/warm-throughput-scenarios.html`,
  },
  newTableWrites: {
    value: 4_000,
    what: 'write units a second that a new table on demand takes at once; later twice its former peak, reached within 30 minutes; more at once by warm throughput',
    canBeRaised: true,
    page: `${dynamoDbGuide}/on-demand-capacity-mode.html`,
  },
  newTableReads: {
    value: 12_000,
    what: 'read units a second that a new table on demand takes at once, as above',
    canBeRaised: true,
    page: `${dynamoDbGuide}/on-demand-capacity-mode.html`,
  },
  tableWrites: {
    value: 40_000,
    what: 'write units a second of a table on demand',
    canBeRaised: true,
    page: `${dynamoDbGuide}/ServiceQuotas.html`,
  },
  tableReads: {
    value: 40_000,
    what: 'read units a second of a table on demand',
    canBeRaised: true,
    page: `${dynamoDbGuide}/ServiceQuotas.html`,
  },
  apiRequests: {
    value: 10_000,
    what: 'requests a second to all APIs of the account together (2,500 in some younger Regions), with a burst of 5,000 that goes by it',
    canBeRaised: true,
    page: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html',
  },
  concurrency: {
    value: 1_000,
    what: 'slots (concurrent executions) of all functions of the account together; new accounts have less, often 10',
    canBeRaised: true,
    page: `${lambdaGuide}/lambda-concurrency.html`,
  },
  concurrencyScaling: {
    value: 1_000,
    what: 'slots more of one function within 10 s',
    canBeRaised: false,
    page: `${lambdaGuide}/scaling-behavior.html`,
  },
  requestsPerSlot: {
    value: 10,
    what: 'requests a second that a slot serves at the most, however short they are',
    canBeRaised: false,
    page: `${lambdaGuide}/gettingstarted-limits.html`,
  },
} as const satisfies Record<string, Quota>;
