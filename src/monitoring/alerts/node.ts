import { jobs } from '../metrics.ts';
import { absent, by, grown, series, where } from '../promql.ts';
import { type Alert, alert, type Time } from './alert.ts';

const DATASET = ['namespace', 'dataset'] as const;
/** A client that ends so often in an hour does not recover for long. */
const OFTEN = 5;

/** Alerts about the node plugin, and about the FUSE clients of its node. */
export const nodeAlerts = (time: Time): readonly Alert[] => [
  alert({
    name: 'SluiceNodePluginAbsent',
    severity: 'critical',
    of: absent(where(series('up', { job: jobs.csi }), '==', 1)),
    lasts: time(600),
    means: 'no node plugin answers a scrape: new pods get no volumes. Pods that read go on',
    summary: () => 'No node plugin of Sluice answers a scrape',
    toDo: 'see the pods of the DaemonSet sluice-csi. If they run, see the targets of Prometheus, and whether a NetworkPolicy lets it reach the port metrics',
  }),
  alert({
    name: 'SluiceClientHangs',
    severity: 'critical',
    of: where(by('max', DATASET, series('sluice_csi_dataset_hanging')), '>', 0),
    lasts: time(300),
    means: 'on a node the FUSE client of a Dataset does not answer: whoever reads there waits',
    summary: (label) => `On a node the FUSE client of Dataset ${label('namespace')}/${label('dataset')} does not answer`,
    toDo: 'see the log of the fuse pod on that node, and whether the store answers; delete the fuse pod if it does: a new one takes its place, and the node plugin binds the mounts again',
  }),
  alert({
    name: 'SluiceRecoveryFails',
    severity: 'critical',
    of: where(by('sum', DATASET, grown(series('sluice_csi_dataset_recoveries_total', { result: 'failed' }), time(900))), '>', 0),
    lasts: time(60),
    means: 'mounts of pods whose FUSE client ended cannot be bound again: their reads fail',
    summary: (label) => `Mounts of Dataset ${label('namespace')}/${label('dataset')} cannot be bound again after its FUSE client ended`,
    toDo: 'see the event FuseRecoverFailed of the Dataset, which says why, and the log of the node plugin on that node',
  }),
  alert({
    name: 'SluiceRecoversOften',
    severity: 'warning',
    of: where(
      by('sum', DATASET, grown(series('sluice_csi_dataset_recoveries_total', { result: { any: ['bound', 'unseen'] } }), time(3600))),
      '>',
      OFTEN,
    ),
    lasts: 0,
    means: `mounts of pods were bound again more than ${OFTEN} times in an hour: FUSE clients of the Dataset end, or nodes run several of its readers`,
    summary: (label) =>
      `Mounts of Dataset ${label('namespace')}/${label('dataset')} were bound again {{ humanize $value }} times in an hour`,
    toDo: 'see why its fuse pods end: their memory limit, their previous log (kubectl logs --previous), and sluice explain of the Dataset',
  }),
  alert({
    name: 'SluiceRecoveryUnseen',
    severity: 'warning',
    of: where(by('sum', DATASET, grown(series('sluice_csi_dataset_recoveries_total', { result: 'unseen' }), time(900))), '>', 0),
    lasts: 0,
    means: 'mounts of pods were bound again, and containers that run do not see it: only new containers do',
    summary: (label) =>
      `Pods that read Dataset ${label('namespace')}/${label('dataset')} do not see its new FUSE client until they restart`,
    toDo: 'restart the pods that the event of the Dataset names; mountPropagation HostToContainer of their volume mounts avoids it',
  }),
  alert({
    name: 'SluiceVolumesWait',
    severity: 'warning',
    of: where(
      by('sum', DATASET, grown(series('sluice_csi_dataset_publishes_total', { result: { any: ['waits', 'refused'] } }), time(600))),
      '>',
      0,
    ),
    lasts: time(900),
    means: 'for a quarter of an hour, pods could not start: the volume of the Dataset is not ready on their node, or refused',
    summary: (label) => `Pods wait for the volume of Dataset ${label('namespace')}/${label('dataset')}`,
    toDo: 'run sluice explain for such a pod, as pod/<name>: it goes on to the node plugin, the fuse pod and the Dataset',
  }),
];
