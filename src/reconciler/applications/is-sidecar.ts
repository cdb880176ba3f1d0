import { sidecar } from '../../api/sidecars.ts';
import type { ObjectMeta } from '../../kube/types.ts';

/** The container of a client, then the name of a further container of its pod. */
const CLIENT = /^(fluid-fuse-\d+)(?:-.+)?$/;

/** Whether the webhook made a container: it has a name of the webhook, and the webhook recorded it on the pod. */
export function isSidecar(name: string, { labels = {}, annotations = {} }: Pick<ObjectMeta, 'labels' | 'annotations'>): boolean {
  if (name === sidecar.prefetcher) return annotations[sidecar.prefetcherDone] === 'true';
  const client = CLIENT.exec(name)?.[1];
  return client !== undefined && labels[`${sidecar.datasetName}${client}`] !== undefined;
}
