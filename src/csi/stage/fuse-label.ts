import { fuseNodeLabel } from '../../api/names.ts';
import { labelledIdentity } from '../../api/records.ts';
import type { DatasetRecord, NodeCluster, VolumeRecord } from '../cluster/node-cluster.ts';
import type { RuntimeName, CsiVolume } from '../volume.ts';

/** The runtime that has mounted a volume, and the label that brings its fuse pod to a node; undefined when that is unknown. */
export interface FuseOf {
  readonly runtime?: RuntimeName;
  readonly nodeLabel?: string;
}

/**
 * Attributes say both since Fluid's commit a826600; no released Fluid (0.8 to 1.0) writes the label, its builder for EFC never does, and
 * the source of a PersistentVolume cannot be changed. What they do not say is asked for as Fluid's plugin does: the runtime is called as
 * the claim, and the label follows from the Dataset's name and UID.
 *
 * @param record what the API server has of the volume, if it was asked already
 */
export async function fuseOf(
  cluster: Pick<NodeCluster, 'volume' | 'dataset'>,
  handle: string,
  { runtime: named, nodeLabel: said }: CsiVolume,
  record?: VolumeRecord,
): Promise<FuseOf> {
  // The volume of a Dataset is called as its handle.
  const runtime = named ?? (record ?? (await cluster.volume(handle)))?.claim;
  const nodeLabel = said ?? (runtime && labelOf(runtime, await cluster.dataset(runtime)));
  return { ...(runtime && { runtime }), ...(nodeLabel && { nodeLabel }) };
}

/** Undefined where a name is too long for a label and the Dataset is gone, whose UID would take its place. */
export function labelOf(runtime: RuntimeName, dataset: DatasetRecord | undefined): string | undefined {
  const uid = dataset?.uid ?? '';
  const key = fuseNodeLabel(labelledIdentity({ ...runtime, uid }, dataset?.labels));
  return uid === '' && !key.endsWith(`${runtime.namespace}-${runtime.name}`) ? undefined : key;
}
