import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { refusal } from './refusal.ts';

/** The numbers of days that CloudWatch can keep a log for. */
export const retentionDays: readonly number[] = Object.values(RetentionDays).filter(
  (value): value is RetentionDays => typeof value === 'number' && value !== RetentionDays.INFINITE,
);

/** @throws Error unless a log can be kept for so long. For ever is too long: it only gets dearer. */
export function checkRetention(prop: string, days: number): asserts days is RetentionDays {
  if (retentionDays.includes(days)) return;
  throw refusal(
    prop,
    `must be one of RetentionDays that ends: ${retentionDays.join(', ')}`,
    days,
    'Take the next longer one; an archive is for CloudWatch to export.',
  );
}
