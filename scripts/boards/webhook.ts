import { by, grown, quantile, rate, series, until } from '../../src/monitoring/promql.ts';
import { type Board, graph, shown, stat, STEP } from './board.ts';
import { processPanels } from './process.ts';

export const webhook: Board = {
  name: 'webhook',
  title: 'Sluice: webhook',
  description: 'Admissions of pods, and validations of Datasets, runtimes and operations.',
  choices: [],
  rows: [
    {
      title: 'State',
      panels: [
        stat(
          'Replicas',
          'Replicas that answer scrapes.',
          'short',
          shown(by('sum', [], series('up', { job: 'sluice-webhook' })), () => 'replicas'),
        ),
        stat(
          'Entries of the configuration',
          'Entries by which API servers ask the webhook about pods: 3, with a label of a platform 4. With validation, 1 more about objects.',
          'short',
          shown(by('min', [], series('sluice_webhook_configuration_entries')), () => 'pods'),
          shown(by('min', [], series('sluice_webhook_validation_configuration_entries')), () => 'objects'),
        ),
        stat(
          'Certificate',
          'Time until the certificate ends. It is renewed long before 30 days.',
          's',
          shown(until(by('min', [], series('sluice_webhook_certificate_expiry_timestamp_seconds'))), () => 'ends in'),
        ),
        stat(
          'Faults',
          'Faults of the ConfigMap webhook-plugins, and defects in the last hour.',
          'short',
          shown(by('max', [], series('sluice_webhook_profile_fault')), () => 'profile'),
          shown(by('sum', [], grown(series('sluice_webhook_defects_total'), 3600)), () => 'defects'),
        ),
      ],
    },
    {
      title: 'Pods',
      panels: [
        graph(
          'Admissions',
          'Admissions a second by outcome and by what pods ask for. denied: pods cannot have their sidecars.',
          'ops',
          shown(
            by('sum', ['outcome', 'mode'], rate(series('sluice_webhook_admissions_total'), STEP)),
            (of) => `${of('outcome')} ${of('mode')}`,
          ),
        ),
        graph(
          'Length of an admission',
          'Of a hundred admissions, 99 are shorter. Whoever creates a pod waits for it.',
          's',
          shown(quantile(0.99, ['mode'], rate(series('sluice_webhook_admission_duration_seconds_bucket'), STEP)), (of) => of('mode')),
        ),
        graph(
          'Warnings and lookups',
          'Warnings to those who create pods, and objects that were read before a pod was denied, a second.',
          'ops',
          shown(by('sum', [], rate(series('sluice_webhook_warnings_total'), STEP)), () => 'warnings'),
          shown(by('sum', ['result'], rate(series('sluice_webhook_lookups_total'), STEP)), (of) => `lookups ${of('result')}`),
        ),
      ],
    },
    {
      title: 'Objects, with validation',
      panels: [
        graph(
          'Validations',
          'Validations a second by outcome. failed: the object was stored without being judged.',
          'ops',
          shown(by('sum', ['outcome'], rate(series('sluice_webhook_validations_total'), STEP)), (of) => of('outcome')),
        ),
        graph(
          'Length of a validation',
          'Of a hundred validations, 99 are shorter. The API server waits for 3 s.',
          's',
          shown(quantile(0.99, [], rate(series('sluice_webhook_validation_duration_seconds_bucket'), STEP)), () => '99 of 100'),
        ),
        graph(
          'Objects read to judge others',
          'Objects a second, by result.',
          'ops',
          shown(by('sum', ['result'], rate(series('sluice_webhook_validation_reads_total'), STEP)), (of) => of('result')),
        ),
      ],
    },
    { title: 'Process', panels: processPanels('sluice-webhook') },
  ],
};
