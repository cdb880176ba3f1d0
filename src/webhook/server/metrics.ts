import type { Registry } from 'prom-client';
import { admissionRows } from '../../api/metrics/webhook.ts';
import { registered } from '../../kube/metrics/registered.ts';
import type { Mode } from '../injection-options.ts';

export interface AdmissionMetrics {
  admitted(outcome: 'mutated' | 'unchanged' | 'denied' | 'failed', mode: Mode, seconds: number): void;
  /** A pod was admitted with so many warnings. */
  warned(count: number): void;
  /** An admission met a defect. */
  broke(): void;
  lookedUp(result: 'read' | 'failed', objects: number): void;
  /** The certificate that is served ends at this time, ms since the epoch. */
  certificateEnds(at: number): void;
  /** API servers ask this webhook by so many entries of the configuration. */
  configured(entries: number): void;
  /** Why the ConfigMap of plugins does not count. */
  profiled(fault: string | undefined): void;
}

export function admissionMetrics(registry: Registry): AdmissionMetrics {
  const made = registered(registry, admissionRows);
  return {
    admitted(outcome, mode, seconds) {
      made.sluice_webhook_admissions_total.inc({ outcome, mode });
      made.sluice_webhook_admission_duration_seconds.observe({ mode }, seconds);
    },
    warned: (count) => made.sluice_webhook_warnings_total.inc(count),
    broke: () => made.sluice_webhook_defects_total.inc(),
    lookedUp: (result, objects) => made.sluice_webhook_lookups_total.inc({ result }, objects),
    certificateEnds: (at) => made.sluice_webhook_certificate_expiry_timestamp_seconds.set(at / 1000),
    configured: (count) => made.sluice_webhook_configuration_entries.set(count),
    profiled: (what) => made.sluice_webhook_profile_fault.set(what === undefined ? 0 : 1),
  };
}
