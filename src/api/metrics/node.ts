import type { MetricRows } from './row.ts';

/** By the directory of the file system, `<mount root>/<type>/<namespace>/<name>`: of a reference, the Dataset whose data are read. */
const OF_DATASET = ['namespace', 'dataset'] as const;
const PUBLISHES = ['published', 'waits', 'refused'] as const;

/** Metrics of the node plugin, about the Datasets that pods of its node mount. */
export const nodeRows = {
  sluice_csi_publish_duration_seconds: {
    type: 'histogram',
    help: 'Length of publish calls of the kubelet, by result: published, waits (the kubelet retries) or refused.',
    labels: ['result'],
    values: { result: PUBLISHES },
    // From a bind mount to the patience of a first call, 20 s, and the deadline of the kubelet.
    buckets: [0.01, 0.05, 0.25, 1, 5, 20, 120],
    from: 'calls of the kubelet',
  },
  sluice_csi_dataset_publishes_total: {
    type: 'counter',
    help: 'Publish calls by Dataset and result: published, waits (the kubelet retries) or refused.',
    labels: [...OF_DATASET, 'result'],
    values: { result: PUBLISHES },
    from: 'calls of the kubelet',
  },
  sluice_csi_dataset_publish_seconds_total: {
    type: 'counter',
    help: 'Time that publish calls took, in seconds: for so long pods waited for their volume.',
    labels: OF_DATASET,
    from: 'calls of the kubelet',
  },
  sluice_csi_dataset_recoveries_total: {
    type: 'counter',
    help: 'Mounts of pods whose FUSE client ended, by result: bound again, unseen (only new containers see it) or failed (the plugin retries).',
    labels: [...OF_DATASET, 'result'],
    values: { result: ['bound', 'unseen', 'failed'] },
    from: 'the recovery of mounts',
  },
  sluice_csi_dataset_last_recovery_timestamp_seconds: {
    type: 'gauge',
    help: 'When a mount of a pod was last bound again, in seconds since 1970.',
    labels: OF_DATASET,
    from: 'the recovery of mounts',
  },
  sluice_csi_dataset_pods: {
    type: 'gauge',
    help: 'Pods of the node that mount the Dataset, and whose FUSE client runs.',
    labels: OF_DATASET,
    from: 'the mount table',
  },
  sluice_csi_dataset_hanging: {
    type: 'gauge',
    help: '1 while the FUSE client does not answer the plugin: 3 s for the statistics of a volume, 10 s for a mount.',
    labels: OF_DATASET,
    from: 'programs that wait for the file system',
  },
} as const satisfies MetricRows;
