import type { Dataset } from '../api/index.ts';
import { quantity } from '../api/units.ts';
import type { DatasetCounts } from '../reconciler/metrics.ts';

/** What Prometheus is told of datasets, from their statuses. */
export function datasetCounts(datasets: Iterable<Dataset>): DatasetCounts {
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
  return { byPhase, ufs };
}

/** `5.00GiB`, as a status has it; undefined for `[Calculating]` and the like. */
function bytesOf(text: string | undefined): number | undefined {
  const amount = /^([\d.]+(?:[KMGTPE]i)?)B$/.exec(text ?? '')?.[1];
  return amount === undefined ? undefined : quantity(amount, 'status.ufsTotal');
}
