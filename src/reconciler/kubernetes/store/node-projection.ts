import { FUSE_NODE_RECORDS } from '../../../api/index.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { Labels } from '../nodes/cache-labels.ts';

/**
 * The kept part of a node: its labels, any of which an exclude selector may name, and the records of its plugin. Other annotations, which
 * kubelets renew, are never read.
 */
export function nodeProjection(
  { apiVersion, kind, metadata: { name, uid, resourceVersion, labels, annotations } }: KubeObject,
  before?: KubeObject,
): KubeObject {
  const kept = known(before?.metadata.labels, labels);
  const records = known(before?.metadata.annotations, recordsOf(annotations));
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
      ...(kept && { labels: kept }),
      ...(records && { annotations: records }),
    },
  };
}

const known = (before: Labels | undefined, now: Labels | undefined): Labels | undefined =>
  before && now && isAlike(before, now) ? before : now;

/** The records of fuse labels, as they are. threat-model: keeps */
function recordsOf(annotations: Labels = {}): Labels | undefined {
  const records = Object.entries(annotations).filter(([key]) => key.startsWith(FUSE_NODE_RECORDS));
  return records.length > 0 ? Object.fromEntries(records) : undefined;
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
