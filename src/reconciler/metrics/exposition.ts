import { datasetRows, figureRows, type FigureName } from '../../api/metrics/dataset.ts';
import type { Dataset } from '../../api/index.ts';
import { choose, type RuntimeCandidate } from '../../planning/choose.ts';
import { keyOf, keyText } from '../../planning/key.ts';
import type { Store } from '../kubernetes/store/store.ts';
import { type DatasetSeries, rowOf } from './dataset-row.ts';
import { inChunks, type Pace, visitAll } from '../../kube/turns/pace.ts';
import type { ReadTotals } from './reads.ts';
import { createRunning } from './running.ts';
import { createSums } from './sums.ts';
import { createTallies } from './tallies.ts';
import { labelsText, linesOf, type SeriesSample } from './text.ts';

/** The watches, which are in memory: a scrape reads nothing else. */
export type WatchedFleet = Pick<Store, 'datasets' | 'allRuntimes' | 'live' | 'pods'> & {
  readonly operations: Pick<Store['operations'], 'values'>;
};

export interface ExpositionOptions {
  /** Up to so many Datasets have series of their own, more have sums; 0: neither. */
  readonly limit: number;
  readonly pace: Pace;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Bytes that readers of a Dataset got, by its key as text. */
  readonly readsOf?: (dataset: string) => ReadTotals | undefined;
  /** Called with what was found. */
  readonly onExtent?: (isSummed: boolean, datasets: number) => void;
}

/** The metrics of all Datasets, runtimes and operations as text, in chunks. The first chunk comes when all objects have been read. */
export async function* exposition(fleet: WatchedFleet, { limit, pace, now, readsOf, onExtent }: ExpositionOptions): AsyncGenerator<string> {
  const tallies = createTallies(now);
  const running = createRunning();
  const runtimes = new Map<string, RuntimeCandidate[]>();
  // A Dataset that comes and goes meanwhile is shown twice, and a scrape that has one series twice is rejected.
  const datasets = new Map<string, Dataset>();
  await visitAll(fleet.datasets(), pace, (dataset) => void datasets.set(keyText(keyOf(dataset)), dataset));
  await visitAll(fleet.allRuntimes(), pace, (candidate) => {
    tallies.runtime(candidate.object);
    const key = keyText(keyOf(candidate.object));
    runtimes.set(key, [...(runtimes.get(key) ?? []), candidate]);
  });
  await visitAll(fleet.operations.values(), pace, (operation) => {
    tallies.operation(operation);
    running.add(operation);
  });
  const isSummed = limit > 0 && datasets.size > limit;
  onExtent?.(isSummed, datasets.size);
  const sums = createSums(limit);
  const rows: DatasetSeries[] = [];
  await visitAll(datasets, pace, ([key, dataset]) => {
    tallies.dataset(dataset);
    if (limit === 0) return;
    const { chosen } = choose(dataset, runtimes.get(key) ?? []);
    if (isSummed) sums.add(dataset, chosen, fleet);
    else rows.push(rowOf(dataset, chosen, { operations: running.on(key), reads: readsOf?.(key) }, fleet));
  });
  yield* inChunks(tallies.lines(), pace);
  yield* inChunks(extentLines(limit, isSummed), pace);
  yield* inChunks(datasetLines(isSummed ? sums.rows() : rows), pace);
}

function* extentLines(limit: number, isSummed: boolean): Generator<string> {
  yield* linesOf(datasetRows, 'sluice_dataset_series_limit', [['', limit]]);
  yield* linesOf(datasetRows, 'sluice_dataset_series_summed', [['', isSummed ? 1 : 0]]);
}

/** All series of one metric follow each other: the format demands it. */
function* datasetLines(rows: readonly DatasetSeries[]): Generator<string> {
  const of = (name: keyof typeof datasetRows, samples: (row: DatasetSeries) => readonly SeriesSample[]) =>
    linesOf(datasetRows, name, flat(rows, samples));
  yield* of('sluice_dataset_phase', ({ labels, phases }) =>
    [...phases].map(([phase, count]) => [`${labels},${labelsText({ phase })}`, count]),
  );
  for (const name of Object.keys(figureRows) as FigureName[])
    yield* of(name, ({ labels, figures }) => (figures[name] === undefined ? NONE : [[labels, figures[name]]]));
  yield* of('sluice_dataset_read_bytes_total', ({ labels, reads }) =>
    reads
      ? [
          [`${labels},source="cache"`, reads.cache],
          [`${labels},source="store"`, reads.store],
        ]
      : NONE,
  );
  yield* of('sluice_dataset_condition_timestamp_seconds', ({ labels, attention }) => {
    if (!attention) return NONE;
    const { condition, reason, since } = attention;
    return [[`${labels},${labelsText({ condition, reason })}`, since]];
  });
  yield* of('sluice_dataset_operation_timestamp_seconds', ({ labels, operations }) =>
    operations.map(({ operation, phase, since }) => [`${labels},${labelsText({ operation, phase })}`, since]),
  );
  yield* of('sluice_dataset_operation_progress_ratio', ({ labels, operations }) =>
    operations.flatMap(({ operation, progress }) =>
      progress === undefined ? [] : [[`${labels},${labelsText({ operation })}`, progress] as const],
    ),
  );
  yield* of('dataset_ufs_total_size', ({ fluid }) =>
    fluid?.bytes === undefined ? NONE : [[labelsText({ dataset: fluid.dataset }), fluid.bytes]],
  );
  yield* of('dataset_ufs_file_num', ({ fluid }) =>
    fluid?.files === undefined ? NONE : [[labelsText({ dataset: fluid.dataset }), fluid.files]],
  );
}
const NONE: readonly SeriesSample[] = [];

function* flat(rows: readonly DatasetSeries[], samples: (row: DatasetSeries) => readonly SeriesSample[]): Generator<SeriesSample> {
  for (const row of rows) yield* samples(row);
}
