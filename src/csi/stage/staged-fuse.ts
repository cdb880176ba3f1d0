import type { NodeCluster } from '../cluster/node-cluster.ts';
import { CsiError } from '../grpc/errors.ts';
import { type FuseOf, fuseOf } from './fuse-label.ts';
import type { StagedRecords } from './records.ts';
import { type CsiVolume, type VolumeDefaults, parseVolume } from '../volume.ts';

/** A staged volume, and what has mounted it. */
export interface StagedFuse extends FuseOf {
  readonly volume: CsiVolume;
}

export interface StagedFuseContext extends VolumeDefaults {
  readonly cluster: Pick<NodeCluster, 'volume' | 'dataset'>;
  readonly staged: StagedRecords;
}

/** The volume of a handle that is staged on this node, by us, by an older version, or by another plugin; undefined when that is unknown. */
export async function stagedFuse(context: StagedFuseContext, handle: string): Promise<StagedFuse | undefined> {
  const { staged, cluster } = context;
  const kept = staged.get(handle);
  // The volume of a Dataset is called as its handle.
  const record = kept ? undefined : await cluster.volume(handle);
  const attributes = kept?.attributes ?? record?.attributes;
  if (!attributes) return undefined;
  try {
    const volume = parseVolume(attributes, context);
    return { volume, ...(kept?.fuse ?? (await fuseOf(cluster, handle, volume, record))) };
  } catch (error) {
    // The volume was staged by other rules than ours.
    if (error instanceof CsiError) return undefined;
    throw error;
  }
}
