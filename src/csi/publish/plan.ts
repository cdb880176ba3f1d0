import type { PodName } from '../cluster/node-cluster.ts';
import { type BindMount, bindMountOf, shows, type TargetState } from '../mounts/binding.ts';
import { isWithin, type MountInfo, topAt } from '../mounts/mountinfo.ts';
import type { CsiVolume } from '../volume.ts';

export type PublishPlan =
  | { readonly do: 'nothing' }
  | { readonly do: 'wait'; readonly because: string }
  | { readonly do: 'bind'; readonly binding: BindMount }
  | { readonly do: 'link'; readonly binding: BindMount };

export interface PublishRequest {
  readonly volume: CsiVolume;
  readonly target: string;
  readonly readOnly: boolean;
  /** The pod that mounts it. */
  readonly pod?: PodName;
}

/**
 * The steps of a publication, given the present mounts. A target on which another file system is mounted than the volume's is bound over,
 * not unmounted: a running container may hold it, and would not see what is mounted in its place (recovery/plan.ts).
 */
export function planPublish({ volume, target, readOnly }: PublishRequest, mounts: readonly MountInfo[], found: TargetState): PublishPlan {
  const { fusePath, source } = volume;
  const mounted = topAt(mounts, fusePath);
  const because = volume.mountType === undefined ? undefined : notReady(volume, mounts);
  if (because !== undefined) return { do: 'wait', because };
  const at = topAt(mounts, target);
  if (at && shows(at, mounts, source)) return { do: 'nothing' };
  const binding = bindMountOf(mounts, { mounted, fusePath, source, target, readOnly });
  if (methodFor(volume, readOnly) === 'bind' || at) return { do: 'bind', binding };
  return found.is === 'link' && found.to === source ? { do: 'nothing' } : { do: 'link', binding };
}

/**
 * A link can neither be read-only nor keep to a sub path, since whoever writes to the file system decides later where it leads: such
 * volumes are always bound.
 */
export const methodFor = ({ method, fusePath, source }: CsiVolume, readOnly: boolean): CsiVolume['method'] =>
  method === 'symlink' && !readOnly && source === fusePath ? 'symlink' : 'bind';

/** As Fluid, any mount of the type at the path or below it will do: some clients mount nothing at the path itself. */
export function notReady({ fusePath, mountType = '' }: CsiVolume, mounts: readonly MountInfo[]): string | undefined {
  if (mounts.some(({ mountPoint, line }) => isWithin(mountPoint, fusePath) && line.includes(mountType))) return undefined;
  const mounted = topAt(mounts, fusePath);
  return mounted
    ? `${fusePath} is mounted as ${mounted.fsType} (${mounted.source}), not as ${mountType}`
    : `${fusePath} is not mounted yet`;
}
