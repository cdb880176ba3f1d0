import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
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

/** From what memory answers to what the API server waits for. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 10];

export function admissionMetrics(registry: Registry): AdmissionMetrics {
  const registers = [registry];
  const admissions = new Counter({
    name: 'sluice_webhook_admissions_total',
    help: 'Admissions of pods, by outcome (mutated, unchanged, denied, failed) and by what the pod asks for (serverless, serverful, none).',
    labelNames: ['outcome', 'mode'],
    registers,
  });
  const duration = new Histogram({
    name: 'sluice_webhook_admission_duration_seconds',
    help: 'Length of an admission, without the transfer of the request.',
    labelNames: ['mode'],
    buckets: BUCKETS,
    registers,
  });
  const warnings = new Counter({
    name: 'sluice_webhook_warnings_total',
    help: 'Warnings with which pods were admitted; the log has their texts.',
    registers,
  });
  const defects = new Counter({ name: 'sluice_webhook_defects_total', help: 'Admissions that met a defect of Sluice.', registers });
  const lookups = new Counter({
    name: 'sluice_webhook_lookups_total',
    help: 'Objects that no watch knew and that were read from the API server before a pod was denied, by result: read or failed.',
    labelNames: ['result'],
    registers,
  });
  const certificate = new Gauge({
    name: 'sluice_webhook_certificate_expiry_timestamp_seconds',
    help: 'When the certificate that the webhook serves ends, in seconds since 1970; 0 while it serves none.',
    registers,
  });
  const entries = new Gauge({
    name: 'sluice_webhook_configuration_entries',
    help: 'Entries of the MutatingWebhookConfiguration that lead to this webhook; 0: no pod gets a sidecar or a hint.',
    registers,
  });
  const fault = new Gauge({
    name: 'sluice_webhook_profile_fault',
    help: '1 while the ConfigMap webhook-plugins has a fault, and the last profile without one stays in force.',
    registers,
  });
  return {
    admitted(outcome, mode, seconds) {
      admissions.inc({ outcome, mode });
      duration.observe({ mode }, seconds);
    },
    warned: (count) => warnings.inc(count),
    broke: () => defects.inc(),
    lookedUp: (result, objects) => lookups.inc({ result }, objects),
    certificateEnds: (at) => certificate.set(at / 1000),
    configured: (count) => entries.set(count),
    profiled: (what) => fault.set(what === undefined ? 0 : 1),
  };
}
