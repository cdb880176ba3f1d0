import { type Dataset, datasetPhases, isOwnedBy } from '../../api/index.ts';
import { type FigureName, MOST_DATASET_SERIES } from '../../api/metrics/dataset.ts';
import { referenceIn } from '../../api/reference.ts';
import type { RuntimeCandidate } from '../../planning/choose.ts';
import { outdatedPods } from '../../planning/views.ts';
import type { Store } from '../kubernetes/store/store.ts';
import { type Attention, attentionOf } from './attention.ts';
import { bytesOf, countOf, ratioOf } from '../../planning/figures.ts';
import type { ReadTotals } from './reads.ts';
import type { OperationSeen } from './running.ts';
import { labelsText } from './text.ts';

/** Series of one Dataset, or the sums of several. */
export interface DatasetSeries {
  /** Labels of all its series, as `labelsText` prints them. */
  readonly labels: string;
  /** How many Datasets are in each phase. */
  readonly phases: ReadonlyMap<string, number>;
  readonly figures: Figures;
  readonly reads?: ReadTotals | undefined;
  readonly attention?: Attention | undefined;
  readonly operations: readonly OperationSeen[];
  /** `<namespace>/<name>`, and its figures under the names of Fluid; absent of a sum. */
  readonly fluid?: { readonly dataset: string; readonly bytes: number | undefined; readonly files: number | undefined };
}
export type Figures = Readonly<Partial<Record<FigureName, number | undefined>>>;

/** The workloads and pods that a row is about. */
export type Workloads = Pick<Store, 'live' | 'pods'>;

/** The phase as a label. Whoever may write a status could invent more. */
export function phaseOf({ status }: Dataset): string {
  const { phase } = status ?? {};
  return phase ? (datasetPhases.includes(phase) ? phase : 'Other') : 'None';
}

/** @param operations those that are not over, the most important first: of these the last ones are left out where all would be too many */
export function rowOf(
  dataset: Dataset,
  serving: RuntimeCandidate | undefined,
  { operations, reads }: { readonly operations: readonly OperationSeen[]; readonly reads: ReadTotals | undefined },
  workloads: Workloads,
): DatasetSeries {
  const { metadata, status } = dataset;
  const { namespace = '', name } = metadata;
  const [bytes, files] = [bytesOf(status?.ufsTotal), countOf(status?.fileNum)];
  const figures = figuresOf(dataset, serving, workloads);
  const attention = attentionOf(dataset, serving?.object);
  const known = [bytes, files, attention, reads?.cache, reads?.store, ...Object.values(figures)].filter(
    (each) => each !== undefined,
  ).length;
  return {
    labels: labelsText({ namespace, dataset: name, kind: serving?.object.kind ?? '' }),
    phases: onlyIn(phaseOf(dataset)),
    figures,
    reads,
    attention,
    operations: within(MOST_DATASET_SERIES - 1 - known, operations),
    fluid: { dataset: `${namespace}/${name}`, bytes, files },
  };
}

/** Those of a Dataset that refers to another one are that one's: a sum would count them twice. */
export function figuresOf(
  { metadata: { namespace, name }, spec, status }: Dataset,
  serving: RuntimeCandidate | undefined,
  { live, pods }: Workloads,
): Figures {
  if (referenceIn(spec) !== undefined) return {};
  const texts = status?.cacheStates ?? {};
  const fuse = serving && live('DaemonSet', namespace, serving.definition.workloads(name).fuse);
  const isOwn = fuse && isOwnedBy(fuse, serving.object.metadata.uid);
  const counts = (fuse?.status ?? {}) as { readonly desiredNumberScheduled?: number; readonly numberReady?: number };
  return {
    sluice_dataset_cached_bytes: bytesOf(texts['cached']),
    sluice_dataset_cache_capacity_bytes: bytesOf(texts['cacheCapacity']),
    sluice_dataset_hit_ratio: ratioOf(texts['cacheHitRatio']),
    sluice_dataset_local_hit_ratio: ratioOf(texts['localHitRatio']),
    sluice_dataset_remote_hit_ratio: ratioOf(texts['remoteHitRatio']),
    sluice_dataset_data_bytes: bytesOf(status?.ufsTotal),
    sluice_dataset_data_files: countOf(status?.fileNum),
    ...(isOwn && {
      sluice_dataset_fuse_pods_desired: counts.desiredNumberScheduled ?? 0,
      sluice_dataset_fuse_pods_ready: counts.numberReady ?? 0,
      sluice_dataset_fuse_pods_outdated: outdatedPods(fuse, pods(fuse.metadata)).length,
    }),
  };
}

/** One Map of each phase, for thousands of Datasets. */
const ONE: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map(
  ['None', 'Other', ...datasetPhases].map((phase) => [phase, new Map([[phase, 1]])]),
);
const onlyIn = (phase: string): ReadonlyMap<string, number> => ONE.get(phase) ?? new Map([[phase, 1]]);

/** As many of the first as have no more series than that. */
function within(most: number, operations: readonly OperationSeen[]): readonly OperationSeen[] {
  const kept: OperationSeen[] = [];
  let left = most;
  for (const operation of operations) {
    left -= operation.progress === undefined ? 1 : 2;
    if (left < 0) break;
    kept.push(operation);
  }
  return kept;
}
