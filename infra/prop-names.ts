import { checkNamed } from './refusal.ts';

/** Every prop of the construct. */
export const namesOfProps = {
  authorization: true,
  domain: true,
  maxLeaseMs: true,
  lineLimit: true,
  memoryMb: true,
  logRetention: true,
  accessLogRetention: true,
  removalPolicy: true,
  multiRegion: true,
  replicaOf: true,
  accountConcurrency: true,
  reservedConcurrency: true,
  throttles: true,
  alarms: true,
  dashboard: true,
  alarmsTopic: true,
  functionCode: true,
} as const;

export const propNames = Object.keys(namesOfProps) as readonly (keyof typeof namesOfProps)[];

/**
 * A prop that is misspelled, or that a stack has and the construct has not, would be taken for its default.
 *
 * @throws Error for whatever is no prop
 */
export function checkProps(given: unknown): void {
  checkNamed('the props of LockService', given, propNames, 'Correct its spelling, or leave it out.');
}
