import type { MetricRows } from './row.ts';

/** Kinds of help that a pod asks for. */
const MODES = ['serverless', 'serverful', 'none'] as const;
const READS = ['read', 'failed'] as const;

export const admissionRows = {
  sluice_webhook_admissions_total: {
    type: 'counter',
    help: 'Admissions of pods, by outcome (mutated, unchanged, denied, failed) and by what the pod asks for (serverless, serverful, none).',
    labels: ['outcome', 'mode'],
    values: { outcome: ['mutated', 'unchanged', 'denied', 'failed'], mode: MODES },
    from: 'requests of API servers',
  },
  sluice_webhook_admission_duration_seconds: {
    type: 'histogram',
    help: 'Length of an admission, without the transfer of the request.',
    labels: ['mode'],
    values: { mode: MODES },
    // From what memory answers to what the API server waits for.
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 10],
    from: 'requests of API servers',
  },
  sluice_webhook_warnings_total: {
    type: 'counter',
    help: 'Warnings with which pods were admitted; the log has their texts.',
    labels: [],
    from: 'requests of API servers',
  },
  sluice_webhook_defects_total: {
    type: 'counter',
    help: 'Admissions that met a defect of Sluice.',
    labels: [],
    from: 'requests of API servers',
  },
  sluice_webhook_lookups_total: {
    type: 'counter',
    help: 'Objects that no watch knew and that were read from the API server before a pod was denied, by result: read or failed.',
    labels: ['result'],
    values: { result: READS },
    from: 'answers of the API server',
  },
  sluice_webhook_certificate_expiry_timestamp_seconds: {
    type: 'gauge',
    help: 'When the certificate that the webhook serves ends, in seconds since 1970; 0 while it serves none.',
    labels: [],
    from: 'the certificate',
  },
  sluice_webhook_configuration_entries: {
    type: 'gauge',
    help: 'Entries of the MutatingWebhookConfiguration that lead to this webhook; 0: no pod gets a sidecar or a hint.',
    labels: [],
    from: 'the watch of the configuration',
  },
  sluice_webhook_profile_fault: {
    type: 'gauge',
    help: '1 while the ConfigMap webhook-plugins has a fault, and the last profile without one stays in force.',
    labels: [],
    from: 'the watch of the ConfigMap',
  },
} as const satisfies MetricRows;

/** With `--validation`. */
export const validationRows = {
  sluice_webhook_validations_total: {
    type: 'counter',
    help: 'Validations of Datasets, runtimes and operations, by outcome (unjudged, allowed, warned, denied, failed). One that failed was allowed.',
    labels: ['outcome'],
    values: { outcome: ['unjudged', 'allowed', 'warned', 'denied', 'failed'] },
    from: 'requests of API servers',
  },
  sluice_webhook_validation_duration_seconds: {
    type: 'histogram',
    help: 'Length of a validation, without the transfer of the request.',
    labels: [],
    // From a look at the request to the reads of a slow API server.
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 2],
    from: 'requests of API servers',
  },
  sluice_webhook_validation_reads_total: {
    type: 'counter',
    help: 'Objects that were read to judge others, by result: read or failed.',
    labels: ['result'],
    values: { result: READS },
    from: 'answers of the API server',
  },
  sluice_webhook_validation_configuration_entries: {
    type: 'gauge',
    help: 'Entries of the ValidatingWebhookConfiguration that lead to this webhook; 0: nothing is judged.',
    labels: [],
    from: 'the watch of the configuration',
  },
} as const satisfies MetricRows;
