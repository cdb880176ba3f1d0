import type { Registry } from 'prom-client';
import { workRows } from '../../api/metrics/controller.ts';
import { registered } from '../../kube/metrics/registered.ts';

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
  const labelled = { controller: CONTROLLER };
  const made = registered(registry, workRows);
  return {
    reconciled(result, seconds) {
      made.controller_runtime_reconcile_total.inc({ ...labelled, result });
      if (result === 'error') made.controller_runtime_reconcile_errors_total.inc(labelled);
      made.controller_runtime_reconcile_time_seconds.observe(labelled, seconds);
    },
    queued(waiting, running) {
      made.workqueue_depth.set({ name: CONTROLLER }, waiting);
      made.controller_runtime_active_workers.set(labelled, running);
    },
    waited: (seconds) => made.workqueue_queue_duration_seconds.observe({ name: CONTROLLER }, seconds),
    added: () => made.workqueue_adds_total.inc({ name: CONTROLLER }),
    retried: () => made.workqueue_retries_total.inc({ name: CONTROLLER }),
  };
}
