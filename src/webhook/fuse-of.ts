import { volumeName } from '../api/names.ts';
import type { SidecarNote } from '../api/index.ts';
import type { KnownObjects, KnownFuse, KnownVolume, Unknown } from './known.ts';

/** The fuse DaemonSet that serves a Dataset, exactly as the controller rendered it. */
export interface VerifiedTemplate extends Pick<KnownFuse, 'template'> {
  readonly sidecar: SidecarNote;
}
/** Why there is none, and the objects that may say otherwise by now. */
export interface NoFuse {
  readonly why: string;
  readonly unknown: readonly Unknown[];
}

/**
 * The fuse DaemonSet of a Dataset. Anybody with the role `edit` in its namespace may write DaemonSets, and would write a privileged container
 * into pods of other namespaces. So it has to be the one that the controller has verified, as the volume of that Dataset records (decision 37).
 * @param home namespace and name of the Dataset
 */
export function fuseOf(home: { readonly namespace: string; readonly name: string }, known: KnownObjects): VerifiedTemplate | NoFuse {
  const dataset = known.dataset(home.namespace, home.name);
  if (!dataset) return { why: `Dataset ${home.namespace}/${home.name} does not exist`, unknown: [{ kind: 'dataset', ...home }] };
  const volume = volumeOf(home, volumeName(dataset.identity), known);
  if ('why' in volume) return volume;
  const asked: Unknown = { kind: 'volume', name: volumeName(dataset.identity) };
  const { fuse: record } = volume;
  if (!record)
    return {
      why: `PersistentVolume ${volumeName(dataset.identity)} names no fuse DaemonSet that the controller has verified`,
      unknown: [asked],
    };
  const { namespace } = home;
  const fuse = known.fuse(namespace, record.name);
  if (fuse?.uid === record.uid && fuse.generation === record.generation) return { template: fuse.template, sidecar: record.sidecar };
  const found = fuse ? 'was changed since the controller verified it, which the controller does again' : 'does not exist';
  return {
    why: `fuse DaemonSet ${namespace}/${record.name} ${found}`,
    unknown: [asked, { kind: 'fuse', namespace, name: record.name }],
  };
}

/** The volume of a Dataset. Whoever may label a Dataset must not get that of another. */
export function volumeOf(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  volume: string,
  known: KnownObjects,
): KnownVolume | NoFuse {
  const found = known.volume(volume);
  if (found?.claim.namespace === namespace && found.claim.name === name) return found;
  return {
    why: `expected PersistentVolume ${volume} for its claim, found ${found ? 'one of another claim' : 'none'}`,
    unknown: [{ kind: 'volume', name: volume }],
  };
}
