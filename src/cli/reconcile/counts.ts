import type { Dataset } from '../../api/index.ts';
import { quantity } from '../../api/units.ts';
import { type DatasetCounts, UNAVAILABLE } from '../../reconciler/metrics.ts';
import type { RuntimeObject } from '../../planning/objects.ts';
import { createTally } from './tally.ts';

/** The figures for Prometheus about datasets and runtimes, from their statuses. */
export function datasetCounts(datasets: Iterable<Dataset>, runtimes: Iterable<{ readonly object: RuntimeObject }>): DatasetCounts {
  const byPhase = new Map<string, number>();
  const ufs: DatasetCounts['ufs'][number][] = [];
  const unavailable = createTally();
  for (const { metadata, status } of datasets) {
    const phase = status?.phase ?? '';
    byPhase.set(phase, (byPhase.get(phase) ?? 0) + 1);
    const condition = status?.conditions?.find(({ type }) => type === UNAVAILABLE);
    if (condition?.status === 'True') unavailable.add('Dataset', condition.reason ?? '');
    const [bytes, files] = [bytesOf(status?.ufsTotal), Number(status?.fileNum || Number.NaN)];
    if (bytes !== undefined || !Number.isNaN(files))
      ufs.push({
        dataset: `${metadata.namespace}/${metadata.name}`,
        ...(bytes !== undefined && { bytes }),
        ...(!Number.isNaN(files) && { files }),
      });
  }
  return {
    byPhase,
    notSynced: notSynced(runtimes),
    unavailable: unavailable.entries().map(({ what, count }) => ({ reason: what, count })),
    ufs,
  };
}

function notSynced(runtimes: Iterable<{ readonly object: RuntimeObject }>): DatasetCounts['notSynced'] {
  const tally = createTally();
  for (const { object } of runtimes) {
    const synced = object.status?.conditions?.find(({ type }) => type === 'Synced');
    if (synced?.status === 'False') tally.add(object.kind, synced.reason ?? '');
  }
  return tally.entries().map(({ kind, what, count }) => ({ kind, reason: what, count }));
}

/** Bytes of `5.00GiB`, the format of a status; undefined for `[Calculating]` and the like. */
function bytesOf(text: string | undefined): number | undefined {
  const amount = /^([\d.]+(?:[KMGTPE]i)?)B$/.exec(text ?? '')?.[1];
  return amount === undefined ? undefined : quantity(amount, 'status.ufsTotal');
}
