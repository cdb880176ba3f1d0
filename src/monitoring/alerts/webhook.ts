import { webhookNames } from '../../api/webhook-names.ts';
import { jobs } from '../metrics.ts';
import { absent, by, grown, quantile, rate, series, until, where } from '../promql.ts';
import { type Alert, alert, type Time } from './alert.ts';

const HOME = ['namespace'] as const;
const DAY = 86_400;
/** Days before the end of a certificate, long after the webhook had to renew it. */
const DAYS_LEFT = 30;
/** Seconds that the API server, and with it whoever creates a pod, should not wait. */
const SLOW = 1;

/** @param entries that the configuration should have */
export const webhookAlerts = (time: Time, entries: number): readonly Alert[] => [
  alert({
    name: 'SluiceWebhookAbsent',
    severity: 'critical',
    of: absent(where(series('up', { job: jobs.webhook }), '==', 1)),
    lasts: time(300),
    means:
      'no replica of the webhook answers a scrape: pods that ask for a sidecar are rejected, with `failurePolicy: Ignore` they lack it',
    summary: () => 'No replica of the Sluice webhook answers a scrape',
    toDo: 'see the pods of the Deployment sluice-webhook. If they run, see the targets of Prometheus, and whether a NetworkPolicy lets it reach the port metrics',
  }),
  alert({
    name: 'SluiceWebhookNotConfigured',
    severity: 'critical',
    of: where(by('min', HOME, series('sluice_webhook_configuration_entries')), '<', entries),
    lasts: time(300),
    means: 'the MutatingWebhookConfiguration was deleted, or lost an entry: pods that ask for a sidecar start without it',
    summary: (label) => `The API server asks the Sluice webhook in ${label('namespace')} by {{ $value }} entries, expected ${entries}`,
    toDo: `apply what sluice install prints again, and see who changed the MutatingWebhookConfiguration ${webhookNames.configuration}`,
  }),
  alert({
    name: 'SluiceWebhookCertificateEnds',
    severity: 'warning',
    of: where(until(by('min', HOME, series('sluice_webhook_certificate_expiry_timestamp_seconds'))), '<', DAYS_LEFT * DAY),
    lasts: time(900),
    means: `the certificate of the webhook ends in less than ${DAYS_LEFT} days: it was to be renewed long before`,
    summary: (label) => `The certificate of the Sluice webhook in ${label('namespace')} ends in {{ humanizeDuration $value }}`,
    toDo: `see the log of the webhook, which says why it was not renewed: usually the right to write the Secret ${webhookNames.secret}`,
  }),
  alert({
    name: 'SluiceWebhookProfileFault',
    severity: 'warning',
    of: where(by('max', HOME, series('sluice_webhook_profile_fault')), '>', 0),
    lasts: time(60),
    means: 'the ConfigMap `webhook-plugins` has a fault; the last valid profile stays in force',
    summary: (label) => `The ConfigMap webhook-plugins in ${label('namespace')} has a fault`,
    toDo: 'correct the ConfigMap; the log of the webhook describes the fault',
  }),
  alert({
    name: 'SluiceWebhookDefect',
    severity: 'warning',
    of: where(by('sum', HOME, grown(series('sluice_webhook_defects_total'), time(3600))), '>', 0),
    lasts: 0,
    means: 'an admission met a defect of Sluice',
    summary: (label) => `An admission by the Sluice webhook in ${label('namespace')} met a defect`,
    toDo: 'report it, with the log of the webhook, which describes the defect',
  }),
  alert({
    name: 'SluiceWebhookDenies',
    severity: 'warning',
    of: where(by('sum', HOME, rate(series('sluice_webhook_admissions_total', { outcome: 'denied' }), time(900))), '>', 0),
    lasts: time(1800),
    means: 'for half an hour, pods that ask for sidecars could not have them',
    summary: (label) => `The Sluice webhook in ${label('namespace')} denies pods that ask for sidecars`,
    toDo: 'see the log of the webhook, which has a line with the reason for each pod, and run sluice explain for its Datasets',
  }),
  alert({
    name: 'SluiceWebhookLookupsFail',
    severity: 'warning',
    of: where(by('sum', HOME, grown(series('sluice_webhook_lookups_total', { result: 'failed' }), time(900))), '>', 0),
    lasts: 0,
    means: 'the API server did not answer the webhook, and pods were denied for that',
    summary: (label) => `The API server does not answer the Sluice webhook in ${label('namespace')}`,
    toDo: 'see the health of the API server, and the rights of the ServiceAccount sluice-webhook',
  }),
  alert({
    name: 'SluiceWebhookSlow',
    severity: 'warning',
    of: where(quantile(0.99, HOME, rate(series('sluice_webhook_admission_duration_seconds_bucket'), time(300))), '>', SLOW),
    lasts: time(600),
    means: 'of a hundred admissions one takes more than a second, for which whoever creates a pod waits',
    summary: (label) => `Admissions by the Sluice webhook in ${label('namespace')} take {{ humanizeDuration $value }}`,
    toDo: 'see the CPU of the webhook pods, the latency of the API server, and the metric sluice_webhook_lookups_total',
  }),
  alert({
    name: 'SluiceWebhookNotAsked',
    severity: 'warning',
    of: where(
      by('sum', ['name'], grown(series('apiserver_admission_webhook_fail_open_count', { name: { any: ['.*fuse.*fluid.io'] } }), time(900))),
      '>',
      0,
    ),
    lasts: 0,
    means:
      'the API server created pods without an answer of the webhook. Without `fuse.serverful.fluid.io` they lack hints for the scheduler, without others, under `failurePolicy: Ignore`, their sidecars. Only if Prometheus scrapes the API server',
    summary: (label) => `The API server created pods without an answer of the webhook ${label('name')}`,
    toDo: `see whether replicas of the webhook were ready, and whether the API server reaches the Service ${webhookNames.service}; create pods again that lack their sidecar`,
  }),
];

/** With `webhook.validation`. */
export const validationAlerts = (time: Time): readonly Alert[] => [
  alert({
    name: 'SluiceValidationNotConfigured',
    severity: 'warning',
    of: where(by('min', HOME, series('sluice_webhook_validation_configuration_entries')), '<', 1),
    lasts: time(300),
    means: 'with `webhook.validation`: the configuration `sluice-validation` was deleted, and nothing is judged',
    summary: (label) => `The API server does not ask the Sluice webhook in ${label('namespace')} about Datasets, runtimes and operations`,
    toDo: `apply what sluice install --validation prints again, and see who deleted the ValidatingWebhookConfiguration ${webhookNames.validation}`,
  }),
  alert({
    name: 'SluiceValidationFails',
    severity: 'warning',
    of: where(by('sum', HOME, grown(series('sluice_webhook_validations_total', { outcome: 'failed' }), time(3600))), '>', 0),
    lasts: 0,
    means: 'with `webhook.validation`: objects were stored without being judged',
    summary: (label) => `The Sluice webhook in ${label('namespace')} could not judge objects, which were stored`,
    toDo: 'report it, with the log of the webhook, which describes the defect',
  }),
];
