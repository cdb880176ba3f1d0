import { conditionAdvice } from '../../planning/condition-advice.ts';
import { and, by, grouped, minus, orElse, series, unless, type Vector, where } from '../promql.ts';
import { type Alert, alert, ifNamed, type Time } from './alert.ts';

const DATASET = ['namespace', 'dataset'] as const;
const OF_KIND = ['namespace', 'dataset', 'kind'] as const;
const CONDITION = ['namespace', 'dataset', 'condition', 'reason'] as const;

const ofCondition = 'sluice_dataset_condition_timestamp_seconds';
/** Since when the gravest condition of a Dataset holds, without those that have an alert of their own, or that have time. */
const attention = by('max', CONDITION, series(ofCondition, { condition: { none: ['DataUnavailable', 'PodsOutdated', 'SpecWarning'] } }));
/** Datasets that serve, or did. */
const bound = grouped(
  where(by('max', DATASET, series('sluice_dataset_phase', { phase: { any: ['Bound', 'Failed', 'Updating', 'DataMigrating'] } })), '>', 0),
);
/** Whether Datasets have no series of their own: there are more than the limit, or it is 0. */
const unnamed = grouped(
  orElse(
    where(by('max', [], series('sluice_dataset_series_summed')), '>', 0),
    where(by('max', [], series('sluice_dataset_series_limit')), '==', 0),
  ),
);
/** Series of Datasets; where these have none, those of all Datasets together. */
const orOfAll = <L extends string, M extends string>(named: Vector<L>, ofAll: Vector<M>): Vector<L | M> =>
  orElse(named, grouped(and(ofAll, [], unnamed)));
/** Labels as templates of a summary, for a Dataset and for many. */
const about = (namespace: string, dataset: string, ofOne: string, ofMany: string) =>
  ifNamed('dataset', `Dataset ${namespace}/${dataset} ${ofOne}`, ofMany);

const EXPLAIN = 'run sluice explain for the Dataset, or with -A for all of them: it has the cause, and what to do about it';
const AS_EXPLAIN = {
  condition: 'condition',
  reason: 'reason',
  about: 'runtime',
  inWords: 'what `sluice explain` says about the condition and its reason: the alert has the same text',
} as const;

/** Alerts about Datasets. */
export const datasetAlerts = (time: Time): readonly Alert[] => [
  alert({
    name: 'SluiceDatasetFailed',
    severity: 'critical',
    of: orOfAll(
      where(by('max', OF_KIND, series('sluice_dataset_phase', { phase: 'Failed' })), '>', 0),
      where(by('max', [], series('sluice_datasets', { phase: 'Failed' })), '>', 0),
    ),
    lasts: time(120),
    means: 'a Dataset that was bound does not serve',
    summary: (label) =>
      about(label('namespace'), label('dataset'), 'was bound and does not serve', '{{ $value }} Datasets were bound and do not serve'),
    toDo: EXPLAIN,
  }),
  alert({
    name: 'SluiceDatasetUnavailable',
    severity: 'critical',
    of: orOfAll(
      where(by('max', ['namespace', 'dataset', 'reason'], series(ofCondition, { condition: 'DataUnavailable' })), '>', 0),
      where(by('max', ['reason'], series('sluice_datasets_unavailable')), '>', 0),
    ),
    lasts: time(300),
    means: 'an engine or a store does not answer those who read a Dataset',
    summary: (label) =>
      about(
        label('namespace'),
        label('dataset'),
        `does not answer those who read it: ${label('reason')}`,
        `{{ $value }} Datasets do not answer those who read them: ${label('reason')}`,
      ),
    toDo: conditionAdvice.DataUnavailable,
  }),
  alert({
    name: 'SluiceDatasetNotReady',
    severity: 'warning',
    of: unless(where(attention, '>', 0), DATASET, bound),
    lasts: time(1800),
    means: 'a Dataset has waited for half an hour to be set up; its first condition says what for',
    summary: (label) =>
      `Dataset ${label('namespace')}/${label('dataset')} is not set up: condition ${label('condition')}, reason ${label('reason')}`,
    toDo: AS_EXPLAIN,
  }),
  alert({
    name: 'SluiceDatasetNeedsAttention',
    severity: 'warning',
    of: orOfAll(
      and(where(attention, '>', 0), DATASET, bound),
      where(by('max', ['kind', 'reason'], series('sluice_runtimes_not_synced')), '>', 0),
    ),
    lasts: time(1800),
    means: 'a Dataset that serves, or did, has needed attention for half an hour; its gravest condition says why',
    summary: (label) =>
      about(
        label('namespace'),
        label('dataset'),
        `needs attention: condition ${label('condition')}, reason ${label('reason')}`,
        `{{ $value }} runtimes ${label('kind')} are not as their specs say: ${label('reason')}`,
      ),
    toDo: AS_EXPLAIN,
  }),
  alert({
    name: 'SluiceFusePodsNotReady',
    severity: 'warning',
    of: where(
      minus(by('max', OF_KIND, series('sluice_dataset_fuse_pods_desired')), by('max', OF_KIND, series('sluice_dataset_fuse_pods_ready'))),
      '>',
      0,
    ),
    lasts: time(900),
    means: 'on some nodes the FUSE client of a Dataset has not been ready for a quarter of an hour: pods there wait for their volume',
    summary: (label) =>
      about(
        label('namespace'),
        label('dataset'),
        'lacks {{ $value }} fuse pods that are ready',
        `Datasets of ${label('kind')} in ${label('namespace')} lack {{ $value }} fuse pods that are ready`,
      ),
    toDo: EXPLAIN,
  }),
];
