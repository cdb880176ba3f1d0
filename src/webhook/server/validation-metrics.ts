import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface ValidationMetrics {
  validated(outcome: ValidationOutcome, seconds: number): void;
  /** Another object was read, or could not be. */
  read(result: 'read' | 'failed'): void;
  /** API servers ask this webhook by so many entries of the configuration. */
  configured(entries: number): void;
}

/** `unjudged`: nothing of it concerns the webhook. `failed`: it could not be judged, and was allowed. */
export type ValidationOutcome = 'unjudged' | 'allowed' | 'warned' | 'denied' | 'failed';

/** From a look at the request to the reads of a slow API server. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 2];

export function validationMetrics(registry: Registry): ValidationMetrics {
  const registers = [registry];
  const validations = new Counter({
    name: 'sluice_webhook_validations_total',
    help: 'Validations of Datasets, runtimes and operations, by outcome (unjudged, allowed, warned, denied, failed). One that failed was allowed.',
    labelNames: ['outcome'],
    registers,
  });
  const duration = new Histogram({
    name: 'sluice_webhook_validation_duration_seconds',
    help: 'Length of a validation, without the transfer of the request.',
    buckets: BUCKETS,
    registers,
  });
  const reads = new Counter({
    name: 'sluice_webhook_validation_reads_total',
    help: 'Objects that were read to judge others, by result: read or failed.',
    labelNames: ['result'],
    registers,
  });
  const entries = new Gauge({
    name: 'sluice_webhook_validation_configuration_entries',
    help: 'Entries of the ValidatingWebhookConfiguration that lead to this webhook; 0: nothing is judged.',
    registers,
  });
  return {
    validated(outcome, seconds) {
      validations.inc({ outcome });
      duration.observe(seconds);
    },
    read: (result) => reads.inc({ result }),
    configured: (count) => entries.set(count),
  };
}
