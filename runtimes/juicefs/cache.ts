import { quantity, type TierLevel, type VolumeMount } from '../../src/api/index.ts';
import { absolutePath, cacheByMedium, directoriesOf, ignored, levelQuotas, type Mounted, must } from '../../src/constructs/index.ts';

const MIB = 2 ** 20;
const LEVEL = 'spec.tieredstore.levels[0]';
export type Cache = ReturnType<typeof cacheOf>;

/** Where clients keep what they have read. JuiceFS has one level of cache: the first. */
export function cacheOf(levels: readonly TierLevel[] = []) {
  const { path = '/var/jfsCache', quota, quotaList, low, volumeType, volumeSource }: Partial<TierLevel> = levels[0] ?? {};
  must(!path.includes(','), `${LEVEL}.path`, 'directories separated by ":"', path);
  must(!levels[0] || quota !== undefined || quotaList, `${LEVEL}.quota`, 'the size of the cache', quota);
  must(!low || Number(low) < 1, `${LEVEL}.low`, 'a ratio below 1, such as 0.1', low);
  // All levels count for the labels of nodes.
  const onNode = cacheByMedium(levels);
  const listed = levels.slice(0, 1).flatMap((level) => levelQuotas(level, LEVEL));
  const directories = directoriesOf(path, ':', `${LEVEL}.path`).map((directory) => cacheDirectory(directory, `${LEVEL}.path`));
  const bytes = quota === undefined ? listed.reduce((sum, each) => sum + each, 0) : quantity(quota, `${LEVEL}.quota`);
  return {
    directories,
    warnings:
      bytes > 0 && bytes < MIB
        ? [ignored(`${LEVEL}.quota`, `${quota ?? quotaList ?? ''} is less than 1Mi, which JuiceFS takes for no cache`)]
        : [],
    options: {
      'cache-dir': path,
      ...(bytes && { 'cache-size': String(Math.floor(bytes / MIB)) }),
      ...(low && { 'free-space-ratio': low }),
    },
    bytes,
    onNode,
    /** The memory that pods must request if the cache is memory. As in Fluid, the last level decides. */
    memory: levels.at(-1)?.mediumtype === 'MEM' ? (quota ?? bytes) : undefined,
    emptyDir: volumeType === 'emptyDir' ? (volumeSource?.emptyDir ?? {}) : undefined,
  };
}

/** `memory` is what JuiceFS calls a cache without a directory. */
const cacheDirectory = (path: string, field: string) => (path === 'memory' ? path : absolutePath(path, field));

/** A volume for each directory of a client's cache that its user has put none on. Directories outside of the tier are the node's. */
export function cacheVolumes(cache: Cache, list: string, users: readonly VolumeMount[] = [], field: string): readonly Mounted[] {
  const taken = new Set(users.map(({ mountPath }) => mountPath));
  must(!list.includes(','), field, 'directories separated by ":"', list);
  return directoriesOf(list, ':', field).flatMap((path, i) => {
    if (cacheDirectory(path, field) === 'memory' || taken.has(path)) return [];
    const { directories, emptyDir } = cache;
    const source = emptyDir && directories.includes(path) ? { emptyDir } : { hostPath: { path, type: 'DirectoryOrCreate' } };
    return [{ volume: { name: `cache-dir-${i}`, ...source }, mount: { name: `cache-dir-${i}`, mountPath: path } }];
  });
}
