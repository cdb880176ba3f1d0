import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export type Result = 'success' | 'error' | 'requeue_after';

/** Passes over keys, and the queue of keys, under the names of controller-runtime. */
export interface WorkMetrics {
  reconciled(result: Result, seconds: number): void;
  queued(depth: number, active: number): void;
  waited(seconds: number): void;
  added(): void;
  retried(): void;
}

const CONTROLLER = 'dataset';

export function workMetrics(registry: Registry): WorkMetrics {
  const registers = [registry];
  const labelled = { controller: CONTROLLER };
  const reconciles = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciliations by result.',
    labelNames: ['controller', 'result'],
    registers,
  });
  const errors = new Counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Reconciliations that failed.',
    labelNames: ['controller'],
    registers,
  });
  const time = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Length of a reconciliation.',
    labelNames: ['controller'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers,
  });
  const active = new Gauge({
    name: 'controller_runtime_active_workers',
    help: 'Reconciliations in progress.',
    labelNames: ['controller'],
    registers,
  });
  const depth = new Gauge({ name: 'workqueue_depth', help: 'Keys in the queue.', labelNames: ['name'], registers });
  const adds = new Counter({ name: 'workqueue_adds_total', help: 'Keys added to the queue.', labelNames: ['name'], registers });
  const retries = new Counter({
    name: 'workqueue_retries_total',
    help: 'Retries of keys after a failure.',
    labelNames: ['name'],
    registers,
  });
  const queueTime = new Histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'Time that keys wait in the queue.',
    labelNames: ['name'],
    buckets: [0.001, 0.01, 0.1, 1, 10, 60],
    registers,
  });
  return {
    reconciled(result, seconds) {
      reconciles.inc({ ...labelled, result });
      if (result === 'error') errors.inc(labelled);
      time.observe(labelled, seconds);
    },
    queued(waiting, running) {
      depth.set({ name: CONTROLLER }, waiting);
      active.set(labelled, running);
    },
    waited: (seconds) => queueTime.observe({ name: CONTROLLER }, seconds),
    added: () => adds.inc({ name: CONTROLLER }),
    retried: () => retries.inc({ name: CONTROLLER }),
  };
}
