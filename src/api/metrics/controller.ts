import { PHASES } from './dataset.ts';
import type { MetricRows } from './row.ts';

/**
 * Metrics of the controller that are no figures of one Dataset. Those of passes, of the queue, of requests and of the election have the
 * names of controller-runtime, so that its dashboards work.
 */

const PASSES = 'passes of this process';
/** The label `controller`, and `name` of the queue: controllers of other projects have the same metrics. */
const QUEUE = ['dataset'] as const;
const OPERATIONS = ['DataLoad', 'DataMigrate', 'DataProcess', 'DataBackup'] as const;

export const workRows = {
  controller_runtime_reconcile_total: {
    type: 'counter',
    help: 'Reconciliations by result.',
    labels: ['controller', 'result'],
    values: { controller: QUEUE, result: ['success', 'error', 'requeue_after'] },
    from: PASSES,
  },
  controller_runtime_reconcile_errors_total: {
    type: 'counter',
    help: 'Reconciliations that failed.',
    labels: ['controller'],
    values: { controller: QUEUE },
    from: PASSES,
  },
  controller_runtime_reconcile_time_seconds: {
    type: 'histogram',
    help: 'Length of a reconciliation.',
    labels: ['controller'],
    values: { controller: QUEUE },
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    from: PASSES,
  },
  controller_runtime_active_workers: {
    type: 'gauge',
    help: 'Reconciliations in progress.',
    labels: ['controller'],
    values: { controller: QUEUE },
    from: PASSES,
  },
  workqueue_depth: { type: 'gauge', help: 'Keys in the queue.', labels: ['name'], values: { name: QUEUE }, from: 'the queue' },
  workqueue_adds_total: { type: 'counter', help: 'Keys added to the queue.', labels: ['name'], values: { name: QUEUE }, from: 'the queue' },
  workqueue_retries_total: {
    type: 'counter',
    help: 'Retries of keys after a failure.',
    labels: ['name'],
    values: { name: QUEUE },
    from: 'the queue',
  },
  workqueue_queue_duration_seconds: {
    type: 'histogram',
    help: 'Time that keys wait in the queue.',
    labels: ['name'],
    values: { name: QUEUE },
    buckets: [0.001, 0.01, 0.1, 1, 10, 60],
    from: 'the queue',
  },
} as const satisfies MetricRows;

export const processRows = {
  rest_client_requests_total: {
    type: 'counter',
    help: 'Requests to the API server.',
    labels: ['code', 'method', 'host'],
    from: 'answers of the API server',
  },
  leader_election_master_status: {
    type: 'gauge',
    help: '1 while this process leads.',
    labels: ['name'],
    values: { name: ['sluice'] },
    from: 'the election',
  },
  runtime_setup_error_total: { type: 'counter', help: 'Failed set-ups.', labels: ['runtime_type', 'runtime'], from: PASSES },
  sluice_sidecar_stops_total: {
    type: 'counter',
    help: 'Sidecars of ended applications: stopped, and attempts that failed.',
    labels: ['result'],
    values: { result: ['stopped', 'failed'] },
    from: 'commands in pods',
  },
  sluice_operation_duration_seconds: {
    type: 'histogram',
    help: 'Runs of operations, from the creation of the Job to its end, by result: Complete or Failed.',
    labels: ['kind', 'result'],
    values: { kind: OPERATIONS, result: ['Complete', 'Failed'] },
    // From what ends at once to a night: loads of terabytes take hours.
    buckets: [1, 10, 60, 300, 900, 3600, 4 * 3600, 12 * 3600],
    from: 'Jobs that end while this process leads',
  },
} as const satisfies MetricRows;

/** Counts of objects, from their statuses. */
export const tallyRows = {
  sluice_datasets: {
    type: 'gauge',
    help: 'Datasets by phase.',
    labels: ['phase'],
    values: { phase: PHASES },
    from: '`status.phase` of Datasets',
  },
  sluice_runtimes_not_synced: {
    type: 'gauge',
    help: 'Runtimes whose condition Synced is False, by its reason.',
    labels: ['kind', 'reason'],
    from: '`status.conditions` of runtimes',
  },
  sluice_datasets_unavailable: {
    type: 'gauge',
    help: 'Datasets whose condition DataUnavailable is True, by its reason.',
    labels: ['reason'],
    from: '`status.conditions` of Datasets',
  },
  sluice_operations: {
    type: 'gauge',
    help: 'Operations by kind and phase.',
    labels: ['kind', 'phase'],
    values: { kind: OPERATIONS, phase: ['None', 'Pending', 'Executing', 'Complete', 'Failed'] },
    from: '`status.phase` of operations',
  },
  sluice_operations_waiting: {
    type: 'gauge',
    help: 'Operations whose condition Complete is False, by its reason: what they wait for.',
    labels: ['kind', 'reason'],
    values: { kind: OPERATIONS },
    from: '`status.conditions` of operations',
  },
  sluice_operations_longest_wait_seconds: {
    type: 'gauge',
    help: 'Longest present wait of an operation of this kind and reason, in seconds; it counts from its first reason.',
    labels: ['kind', 'reason'],
    values: { kind: OPERATIONS },
    from: '`status.conditions` of operations',
  },
} as const satisfies MetricRows;

export const watchRows = {
  sluice_watch_up: {
    type: 'gauge',
    help: '1 while the resource is watched and the watch is not behind.',
    labels: ['resource'],
    from: 'the watch',
  },
  sluice_watch_age_seconds: {
    type: 'gauge',
    help: 'Seconds since the watch last received anything; up to 60 while nothing changes.',
    labels: ['resource'],
    from: 'the watch',
  },
} as const satisfies MetricRows;

/** Every program has it. */
export const buildRows = {
  sluice_build_info: { type: 'gauge', help: '1, with the version of Sluice that runs.', labels: ['version'], from: 'the program' },
} as const satisfies MetricRows;
