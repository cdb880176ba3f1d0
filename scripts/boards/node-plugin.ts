import { by, grown, quantile, rate, series, since } from '../../src/monitoring/promql.ts';
import { type Board, graph, OF_DATASET, shown, stat, STEP, table } from './board.ts';
import { processPanels } from './process.ts';

const DATASET = ['namespace', 'dataset'] as const;

export const nodePlugin: Board = {
  name: 'node-plugin',
  title: 'Sluice: node plugin',
  description: 'Volumes that nodes publish, and FUSE clients that end or hang.',
  choices: ['namespace', 'dataset'],
  rows: [
    {
      title: 'Volumes',
      panels: [
        stat(
          'Plugins',
          'Node plugins that answer scrapes.',
          'short',
          shown(by('sum', [], series('up', { job: 'sluice-csi' })), () => 'plugins'),
        ),
        graph(
          'Pods that read',
          'Pods by Dataset, of all nodes.',
          'short',
          shown(by('sum', DATASET, series('sluice_csi_dataset_pods', OF_DATASET)), (of) => `${of('namespace')}/${of('dataset')}`),
        ),
        graph(
          'Publish calls',
          'Calls a second by result, of all Datasets: published, waits (the kubelet tries again), refused.',
          'ops',
          shown(by('sum', ['result'], rate(series('sluice_csi_publish_duration_seconds_count'), STEP)), (of) => of('result')),
        ),
        graph(
          'Length of a publish call',
          'Of a hundred calls with this result, 99 are shorter. A first call may wait for 20 s.',
          's',
          shown(quantile(0.99, ['result'], rate(series('sluice_csi_publish_duration_seconds_bucket'), STEP)), (of) => of('result')),
        ),
        graph(
          'Time that pods waited for volumes',
          'Seconds in an hour that publish calls took, by Dataset.',
          's',
          shown(
            by('sum', DATASET, grown(series('sluice_csi_dataset_publish_seconds_total', OF_DATASET), 3600)),
            (of) => `${of('namespace')}/${of('dataset')}`,
          ),
        ),
        graph(
          'Calls that did not publish',
          'Calls a second by Dataset: pods there wait.',
          'ops',
          shown(
            by(
              'sum',
              DATASET,
              rate(series('sluice_csi_dataset_publishes_total', { ...OF_DATASET, result: { any: ['waits', 'refused'] } }), STEP),
            ),
            (of) => `${of('namespace')}/${of('dataset')}`,
          ),
        ),
      ],
    },
    {
      title: 'FUSE clients',
      panels: [
        graph(
          'Mounts bound again',
          'Mounts of pods in an hour whose client ended. unseen: only new containers see it. failed: reads fail.',
          'short',
          shown(
            by('sum', [...DATASET, 'result'], grown(series('sluice_csi_dataset_recoveries_total', OF_DATASET), 3600)),
            (of) => `${of('namespace')}/${of('dataset')} ${of('result')}`,
          ),
        ),
        table(
          'Last recovery',
          'How long ago a mount was last bound again.',
          's',
          shown(
            since(by('max', DATASET, series('sluice_csi_dataset_last_recovery_timestamp_seconds', OF_DATASET))),
            (of) => `${of('namespace')}/${of('dataset')}`,
          ),
        ),
        graph(
          'Clients that hang',
          'Nodes on which the client of the Dataset does not answer.',
          'short',
          shown(by('sum', DATASET, series('sluice_csi_dataset_hanging', OF_DATASET)), (of) => `${of('namespace')}/${of('dataset')}`),
        ),
      ],
    },
    { title: 'Process', panels: processPanels('sluice-csi') },
  ],
};
