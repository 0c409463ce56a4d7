import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { createAlarms } from './alarms.ts';
import { createDashboard } from './dashboard.ts';
import { refusal } from './refusal.ts';
import { checkSameRegion } from './same-region.ts';
import type { Watched } from './watched.ts';

export interface MonitoringProps {
  /**
   * Who is notified when an alarm goes off, and when it is over: a topic of the stack's Region.
   *
   * @default - nobody: the alarms are only seen in CloudWatch
   */
  readonly alarmsTopic?: ITopic;

  /**
   * Whether there are alarms. They watch some 40 metrics, $0.10 a month each; CloudWatch's first ten in an account are
   * free.
   *
   * @default true
   */
  readonly alarms?: boolean;

  /**
   * Whether there is a dashboard. CloudWatch's first three in an account are free, each other is $3 a month.
   *
   * @default true
   */
  readonly dashboard?: boolean;
}

/**
 * The alarms of a lock service, and its dashboard.
 *
 * @throws Error for a topic of another Region, or beside alarms that are left out
 */
export function createMonitoring(scope: Construct, watched: Watched, props: MonitoringProps): void {
  const { alarms: wantsAlarms = true, dashboard: wantsDashboard = true, alarmsTopic } = props;
  for (const [prop, value] of Object.entries({ alarms: wantsAlarms, dashboard: wantsDashboard })) {
    if (typeof value !== 'boolean') throw refusal(prop, 'must be true or false', value, 'Leave it out for true.');
  }
  if (alarmsTopic !== undefined && typeof alarmsTopic?.topicArn !== 'string') {
    throw refusal(
      'alarmsTopic',
      'must be a topic of SNS',
      alarmsTopic,
      'Make one with Topic of aws-cdk-lib/aws-sns, or import one by its ARN.',
    );
  }
  if (alarmsTopic && !wantsAlarms) {
    throw refusal('alarms', 'must be true beside alarmsTopic', false, 'Leave alarms on, or alarmsTopic out.');
  }
  if (alarmsTopic) checkSameRegion(scope, 'alarmsTopic', alarmsTopic, alarmsTopic.topicArn);
  const alarms = wantsAlarms ? createAlarms(scope, watched, alarmsTopic) : [];
  if (wantsDashboard) createDashboard(scope, watched, alarms);
}
