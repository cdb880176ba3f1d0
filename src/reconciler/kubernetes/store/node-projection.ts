import type { KubeObject } from '../../../kube/types.ts';
import type { Labels } from '../nodes/cache-labels.ts';

/** Of a node: its labels, any of which an exclude selector may name. Kubelets renew annotations, which nothing here reads. */
export function nodeProjection(
  { apiVersion, kind, metadata: { name, uid, resourceVersion, labels } }: KubeObject,
  before?: KubeObject,
): KubeObject {
  const known = before?.metadata.labels;
  const kept = known && labels && isAlike(known, labels) ? known : labels;
  return {
    apiVersion,
    kind,
    metadata: { name, ...(uid && { uid }), ...(resourceVersion && { resourceVersion }), ...(kept && { labels: kept }) },
  };
}

/** By hand, since a node has a hundred labels and its kubelet reports every ten seconds. */
function isAlike(a: Labels, b: Labels): boolean {
  let left = 0;
  for (const key in a) {
    if (a[key] !== b[key]) return false;
    left++;
  }
  for (const _ in b) left--;
  return left === 0;
}
