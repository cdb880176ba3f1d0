import { Gauge, Histogram, type Registry } from 'prom-client';
import { oncePerScrape } from './once-per-scrape.ts';

export interface OperationCounts {
  readonly byPhase: readonly { readonly kind: string; readonly phase: string; readonly count: number }[];
  /** Those whose `Complete` is False: they have not started, or cannot go on. */
  readonly waiting: readonly { readonly kind: string; readonly reason: string; readonly count: number; readonly longestSeconds: number }[];
}
export interface OperationMetrics {
  /** @param seconds from the creation of its Job to the Job's end */
  operationEnded(kind: string, result: 'Complete' | 'Failed', seconds: number): void;
}

/** From what ends at once to a night: loads of terabytes take hours. */
const BUCKETS = [1, 10, 60, 300, 900, 3600, 4 * 3600, 12 * 3600];

/** `counts` is called once a scrape; without a scrape it costs nothing. */
export function operationMetrics(registry: Registry, counts: () => OperationCounts): OperationMetrics {
  const registers = [registry];
  const countsNow = oncePerScrape(counts);
  new Gauge({
    name: 'sluice_operations',
    help: 'Operations by kind and phase.',
    labelNames: ['kind', 'phase'],
    registers,
    collect() {
      this.reset();
      for (const { count, ...labels } of countsNow().byPhase) this.set(labels, count);
    },
  });
  new Gauge({
    name: 'sluice_operations_waiting',
    help: 'Operations whose condition Complete is False, by its reason: what they wait for.',
    labelNames: ['kind', 'reason'],
    registers,
    collect() {
      this.reset();
      for (const { kind, reason, count } of countsNow().waiting) this.set({ kind, reason }, count);
    },
  });
  new Gauge({
    name: 'sluice_operations_longest_wait_seconds',
    help: 'Longest present wait of an operation of this kind and reason, in seconds; it counts from its first reason.',
    labelNames: ['kind', 'reason'],
    registers,
    collect() {
      this.reset();
      for (const { kind, reason, longestSeconds } of countsNow().waiting) this.set({ kind, reason }, longestSeconds);
    },
  });
  const durations = new Histogram({
    name: 'sluice_operation_duration_seconds',
    help: 'Runs of operations, from the creation of the Job to its end, by result: Complete or Failed.',
    labelNames: ['kind', 'result'],
    buckets: BUCKETS,
    registers,
  });
  return { operationEnded: (kind, result, seconds) => durations.observe({ kind, result }, seconds) };
}
