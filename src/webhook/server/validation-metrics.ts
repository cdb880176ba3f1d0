import type { Registry } from 'prom-client';
import { validationRows } from '../../api/metrics/webhook.ts';
import { registered } from '../../kube/metrics/registered.ts';

export interface ValidationMetrics {
  validated(outcome: ValidationOutcome, seconds: number): void;
  /** Another object was read, or could not be. */
  read(result: 'read' | 'failed'): void;
  /** API servers ask this webhook by so many entries of the configuration. */
  configured(entries: number): void;
}

/** `unjudged`: nothing of it concerns the webhook. `failed`: it could not be judged, and was allowed. */
export type ValidationOutcome = 'unjudged' | 'allowed' | 'warned' | 'denied' | 'failed';

export function validationMetrics(registry: Registry): ValidationMetrics {
  const made = registered(registry, validationRows);
  return {
    validated(outcome, seconds) {
      made.sluice_webhook_validations_total.inc({ outcome });
      made.sluice_webhook_validation_duration_seconds.observe(seconds);
    },
    read: (result) => made.sluice_webhook_validation_reads_total.inc({ result }),
    configured: (count) => made.sluice_webhook_validation_configuration_entries.set(count),
  };
}
