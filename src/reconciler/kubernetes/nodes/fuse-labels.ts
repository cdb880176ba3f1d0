import { FUSE_NODE_RECORDS, fuseNodeLabelOf } from '../../../api/index.ts';
import type { ObjectRef } from '../../../kube/events/events.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { flat } from '../../../planning/sharing.ts';
import { createMultiMap } from './placements.ts';

/**
 * Which runtime's fuse pods a label brings to a node. The node plugin writes these labels, and with each, in the same request, an
 * annotation that records it. A label that is lost while its record stays is put back.
 */
export interface FuseLabels {
  /** Returns whether that is new. */
  put(runtime: ObjectRef, label: string): boolean;
  drop(uid: string): void;
  runtime(uid: string): ObjectRef | undefined;
  /** UID of a runtime whose label this is. */
  ownerOf(label: string): string | undefined;
}

export function createFuseLabels(): FuseLabels {
  const known = new Map<string, { readonly runtime: ObjectRef; readonly label: string }>();
  const byLabel = createMultiMap();

  function drop(uid: string): void {
    const before = known.get(uid);
    if (before) byLabel.delete(before.label, uid);
    known.delete(uid);
  }

  return {
    put(runtime, label) {
      const { uid = '' } = runtime;
      if (known.get(uid)?.label === label) return false;
      drop(uid);
      const key = flat(label);
      known.set(uid, { runtime, label: key });
      byLabel.add(key, uid);
      return true;
    },
    drop,
    runtime: (uid) => known.get(uid)?.runtime,
    ownerOf: byLabel.first,
  };
}

/** The labels that a node should have by the records of its plugin. threat-model: R-node-records */
export const recordedOn = ({ metadata: { annotations = {} } }: Pick<KubeObject, 'metadata'>): readonly string[] =>
  Object.keys(annotations).flatMap((key) => (key.startsWith(FUSE_NODE_RECORDS) ? [fuseNodeLabelOf(key)] : []));
