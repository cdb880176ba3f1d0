import type { Dataset } from '../../api/index.ts';
import { quantity } from '../../api/units.ts';
import type { DatasetCounts } from '../../reconciler/metrics/dataset-gauges.ts';
import type { RuntimeObject } from '../../reconciler/world.ts';

/** Sluice has fewer reasons, but a client that may write statuses could invent more, and each is a series. */
const MOST_REASONS = 100;

/** The figures for Prometheus about datasets and runtimes, from their statuses. */
export function datasetCounts(datasets: Iterable<Dataset>, runtimes: Iterable<{ readonly object: RuntimeObject }>): DatasetCounts {
  const byPhase = new Map<string, number>();
  const ufs: DatasetCounts['ufs'][number][] = [];
  for (const { metadata, status } of datasets) {
    const phase = status?.phase ?? '';
    byPhase.set(phase, (byPhase.get(phase) ?? 0) + 1);
    const [bytes, files] = [bytesOf(status?.ufsTotal), Number(status?.fileNum || Number.NaN)];
    if (bytes !== undefined || !Number.isNaN(files))
      ufs.push({
        dataset: `${metadata.namespace}/${metadata.name}`,
        ...(bytes !== undefined && { bytes }),
        ...(!Number.isNaN(files) && { files }),
      });
  }
  return { byPhase, notSynced: notSynced(runtimes), ufs };
}

function notSynced(runtimes: Iterable<{ readonly object: RuntimeObject }>): DatasetCounts['notSynced'] {
  const counts = new Map<string, { readonly kind: string; readonly reason: string; count: number }>();
  for (const { object } of runtimes) {
    const synced = object.status?.conditions?.find(({ type }) => type === 'Synced');
    if (synced?.status !== 'False') continue;
    const series = `${object.kind}/${synced.reason}`;
    const reason = counts.has(series) || counts.size < MOST_REASONS ? (synced.reason ?? '') : 'Other';
    const entry = counts.get(`${object.kind}/${reason}`) ?? { kind: object.kind, reason, count: 0 };
    entry.count++;
    counts.set(`${object.kind}/${reason}`, entry);
  }
  return [...counts.values()];
}

/** `5.00GiB`, as a status has it; undefined for `[Calculating]` and the like. */
function bytesOf(text: string | undefined): number | undefined {
  const amount = /^([\d.]+(?:[KMGTPE]i)?)B$/.exec(text ?? '')?.[1];
  return amount === undefined ? undefined : quantity(amount, 'status.ufsTotal');
}
