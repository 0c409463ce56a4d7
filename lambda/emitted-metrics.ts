import { Metrics as Emitter, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Operation } from '../sdk/wire/routes.ts';
import type { Measured, Metrics } from './http/metrics.ts';
import { type MetricName, metricDimensions, metricNamespace } from './names.ts';

// A process may emit once in so many milliseconds; what it did not emit it saves up, to so many times. So a process that is
// called seldom emits at each call, and one that is called often gathers.
const gatheringMs = 10_000;
const mostSaved = 10;

// Powertools itself emits at the hundredth value of a metric, and forgets its dimensions over that.
const mostValues = 90;

// Each of these has a line of its own in the log: one more costs little, and none is lost with its process.
const emittedAtOnce: readonly MetricName[] = ['Breaks', 'LeasesLost', 'StoreUnavailable', 'InternalErrors'];

/**
 * Metrics as lines of CloudWatch's embedded metric format on standard output.
 *
 * A line per call would cost 7 % of what the call does. So where calls are many they are added up, and the sums are emitted
 * at the end of one of them: Lambda freezes a process between its calls, a timer would not run. What a process has
 * gathered, of ten seconds at the most, is lost when it never gets another call.
 *
 * Powertools keeps metrics and dimensions per process, not per call: it is given them only to emit them, in one
 * synchronous block.
 */
export class EmittedMetrics implements Metrics {
  readonly #emitter: Emitter;
  readonly #now: () => number;
  readonly #gathered = new Map<Operation, Map<MetricName, number[]>>();
  #saved = mostSaved;
  #savedAt = 0;
  // When the first of what is gathered was added.
  #since = 0;

  /**
   * @param service the deployment's name
   * @param now epoch milliseconds
   */
  constructor(service: string, now: () => number) {
    this.#emitter = new Emitter({ namespace: metricNamespace, serviceName: service });
    this.#now = now;
  }

  add(operation: Operation, measured: Measured): void {
    const now = this.#now();
    const names = Object.keys(measured) as MetricName[];
    if (names.length > 0 && this.#gathered.size === 0) this.#since = now;
    for (const name of names) this.#gather(operation, name, measured[name] ?? 0);
    if (this.#gathered.size === 0) return;
    const isUrgent = names.some((name) => emittedAtOnce.includes(name));
    this.#saved = Math.min(mostSaved, this.#saved + (now - this.#savedAt) / gatheringMs);
    this.#savedAt = now;
    if (!isUrgent && !this.#isFull() && this.#saved < 1) return;
    this.#saved = Math.max(0, this.#saved - 1);
    this.#emit();
  }

  #gather(operation: Operation, name: MetricName, value: number): void {
    const metrics = this.#gathered.get(operation) ?? new Map<MetricName, number[]>();
    this.#gathered.set(operation, metrics);
    const values = metrics.get(name);
    if (!values) metrics.set(name, [value]);
    else if (name === 'Waits') values.push(value);
    else values[0] = (values[0] ?? 0) + value;
  }

  #isFull(): boolean {
    return (this.#gathered.get('acquire')?.get('Waits')?.length ?? 0) >= mostValues;
  }

  #emit(): void {
    for (const [operation, metrics] of this.#gathered) {
      // When it happened: a process may have been frozen for long since.
      this.#emitter.setTimestamp(this.#since).addDimension(metricDimensions.operation, operation);
      for (const [name, values] of metrics) {
        const unit = name === 'Waits' ? MetricUnit.Milliseconds : MetricUnit.Count;
        for (const value of values) this.#emitter.addMetric(name, unit, value);
      }
      this.#emitter.publishStoredMetrics();
    }
    this.#gathered.clear();
  }
}
