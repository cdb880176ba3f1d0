import { clientName, clientNumber, sidecar } from '../../api/sidecars.ts';
import type { ObjectMeta } from '../../kube/types.ts';

/** Whether the webhook made a container: it has a name of the webhook, and the webhook recorded it on the pod. threat-model: R-sidecars */
export function isSidecar(name: string, { labels = {}, annotations = {} }: Pick<ObjectMeta, 'labels' | 'annotations'>): boolean {
  if (name === sidecar.prefetcher) return annotations[sidecar.prefetcherDone] === 'true';
  const number = clientNumber(name);
  return number !== undefined && labels[`${sidecar.datasetName}${clientName(number)}`] !== undefined;
}
