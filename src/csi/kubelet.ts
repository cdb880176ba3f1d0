/**
 * The kubelet's files about volumes, in its own directory. None of these paths lies on a file system of ours. They are small files,
 * hundreds at a time: by way of the thread pool each would be three round trips, and a descriptor that is open meanwhile.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { csiDriver } from '../api/names.ts';
import { isWithin } from './mounts/mountinfo.ts';

/** A path at which the kubelet has a volume, or a part of one, mounted for a pod. */
export interface PodPath {
  readonly podUid: string;
  /** The kubelet's name for the volume: that of the PersistentVolume. */
  readonly volumeName: string;
  /** One container's view of a sub path, rather than the volume itself. */
  readonly isSubPath: boolean;
}

/** `<kubelet>/pods/<uid>/volumes/kubernetes.io~csi/<pv>/mount` and `<kubelet>/pods/<uid>/volume-subpaths/<pv>/<container>/<number>`. */
export function podPathOf(path: string, kubeletDir: string): PodPath | undefined {
  if (!isWithin(path, `${kubeletDir}/pods`)) return undefined;
  const [podUid, kind, a, b, c, ...more] = path.slice(kubeletDir.length + '/pods/'.length).split('/');
  if (!podUid || !a || !b || !c || more.length > 0) return undefined;
  if (kind === 'volumes' && a === 'kubernetes.io~csi' && c === 'mount') return { podUid, volumeName: b, isSubPath: false };
  return kind === 'volume-subpaths' ? { podUid, volumeName: a, isSubPath: true } : undefined;
}

/** The handle of a pod's volume; undefined where it is no volume of ours. @throws Error when the kubelet is just writing it */
export function handleOf(kubeletDir: string, { podUid, volumeName }: PodPath): string | undefined {
  return handleIn(join(kubeletDir, 'pods', podUid, 'volumes/kubernetes.io~csi', volumeName));
}

export interface StagedVolume {
  /** Absent where it cannot be read. */
  readonly handle?: string;
  readonly path: string;
  /** When the kubelet last began to have it staged, ms. */
  readonly begunAt?: number | undefined;
}

/** All volumes of ours that are staged on this node, as the kubelet sees it. */
export function stagedVolumes(kubeletDir: string): readonly StagedVolume[] {
  const directory = join(kubeletDir, 'plugins/kubernetes.io/csi', csiDriver);
  return (unlessAbsent(() => readdirSync(directory)) ?? []).flatMap((name) => {
    const path = join(directory, name, 'globalmount');
    try {
      const handle = handleIn(join(directory, name));
      return handle === undefined ? [] : [{ handle, path, begunAt: writtenAt(join(directory, name, DATA)) }];
    } catch {
      return [{ path }];
    }
  });
}

/**
 * When the youngest instance of a container was begun, ms: the kubelet makes a file for what it says at its end before it makes the
 * container. Undefined where it makes none.
 */
export function begunAt(kubeletDir: string, podUid: string, container: string): number | undefined {
  const directory = join(kubeletDir, 'pods', podUid, 'containers', container);
  const times = (unlessAbsent(() => readdirSync(directory)) ?? []).map((name) => writtenAt(join(directory, name)));
  return times.reduce((last, at) => (at !== undefined && (last === undefined || at > last) ? at : last), undefined);
}

/** The kubelet's file about a volume. It is written before a plugin is called. */
const DATA = 'vol_data.json';

/** When a file was last written, ms; undefined when there is none. */
export const writtenAt = (file: string): number | undefined => unlessAbsent(() => statSync(file).mtimeMs);

/** threat-model: R-kubelet-files */
function handleIn(directory: string): string | undefined {
  const text = unlessAbsent(() => readFileSync(join(directory, DATA), 'utf8'));
  if (text === undefined) return undefined;
  const { driverName, volumeHandle } = JSON.parse(text) as { readonly driverName?: string; readonly volumeHandle?: string };
  return driverName === csiDriver ? volumeHandle : undefined;
}

function unlessAbsent<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    return undefined;
  }
}
