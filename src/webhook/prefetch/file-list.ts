import { posix } from 'node:path';
import type { DatasetUse } from '../admission.ts';
import type { Pod } from '../pod.ts';
import { prefetchKeys, wrong } from './options.ts';

/** The files that the prefetcher reads. */
export interface FileList {
  /** Names of volumes, sorted. Each is mounted at `/data/<name>`. */
  readonly volumes: readonly string[];
  /** Patterns below these. */
  readonly patterns: readonly string[];
}

export const DATA = '/data';
const SCHEME = 'pvc://';
/** Another separator than a semicolon. */
const SEVERAL = /[\s,]pvc:\/\//;
/** Characters. The kernel starts no program with an environment variable of more than 128 KiB. */
const LONGEST = 64 * 1024;

/**
 * The files of a list `pvc://<claim>/<pattern>;…`, in the pod's volumes. As in Fluid, entries of other claims than Datasets' are passed
 * over, and a path does not lead out of its volume.
 * @param list absent: all files of all Datasets
 * @throws Denied if the list is too long, or has another separator
 */
export function fileListOf({ spec }: Pod, uses: readonly DatasetUse[], list: string | undefined): FileList {
  const volumesOf = new Map<string, string[]>(uses.map(({ claim }) => [claim, []]));
  for (const { name, persistentVolumeClaim } of spec.volumes ?? []) volumesOf.get(persistentVolumeClaim?.claimName ?? '')?.push(name);
  const entries = list?.split(';').map((entry) => entry.trim()) ?? uses.map(({ claim }) => `${SCHEME}${claim}`);
  const volumes = new Set<string>();
  const patterns = new Set<string>();
  let length = 0;
  for (const entry of entries.filter((each) => each.startsWith(SCHEME))) {
    // Nothing else would tell that only one name was read, of a file that does not exist.
    if (SEVERAL.test(entry)) throw wrong(prefetchKeys.fileList, `entries ${SCHEME}<claim>/<pattern> separated by ";"`, entry);
    const [claim = '', ...path] = entry.slice(SCHEME.length).split('/');
    const pattern = path.length === 0 ? '/**' : posix.normalize(`/${path.join('/')}`);
    for (const volume of volumesOf.get(claim) ?? []) {
      length += volume.length + pattern.length;
      // Each entry counts once for each volume of its claim: a hostile pod has a thousand of both.
      if (length > LONGEST)
        throw wrong(prefetchKeys.fileList, `files that take at most ${LONGEST} characters`, `${entries.length} entries`);
      volumes.add(volume);
      patterns.add(posix.join(DATA, volume, pattern));
    }
  }
  return { volumes: [...volumes].toSorted(), patterns: [...patterns] };
}
