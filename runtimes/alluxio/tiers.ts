import { bytesQuantity, type TierLevel, type Volume } from '../../src/api/index.ts';
import {
  absolutePath,
  cacheByMedium,
  cleanPath,
  directoriesOf,
  directoriesWithinReason,
  levelQuotas,
  type Mounted,
  mountedAt,
  must,
  together,
  togetherEach,
} from '../../src/constructs/index.ts';

const LEVELS = 'spec.tieredstore.levels';
const MEDIA = ['MEM', 'SSD', 'HDD'] as const;
export type Medium = (typeof MEDIA)[number];

/** A level of Alluxio's cache: directories of one medium. */
export interface Level {
  readonly medium: Medium;
  readonly paths: readonly string[];
  /** As Alluxio writes sizes, `10GB`; one for each path. */
  readonly quotas: readonly string[];
  readonly isOnNode: boolean;
  readonly mounted: readonly Mounted[];
}
export type Tiers = ReturnType<typeof tiersOf>;

/** The directories of workers' caches, the fastest medium first in any order of the spec. */
export function tiersOf(all: readonly TierLevel[] = [], { name, namespace }: { readonly name: string; readonly namespace: string }) {
  const directory = `${namespace}/${name}`;
  const counts = togetherEach(all, ({ path = '' }, i) => directoriesOf(path, ',', `${LEVELS}[${i}].path`).length);
  directoriesWithinReason(counts, LEVELS);
  const levels = togetherEach(all, (level, i) => levelOf(level, `${LEVELS}[${i}]`, directory)).toSorted(bySpeed);
  const onNode = cacheByMedium(all);
  levels.forEach(({ medium }, i) =>
    must(medium !== levels[i - 1]?.medium, LEVELS, `one level of ${medium}, with several paths`, levels.length),
  );
  return {
    levels: levels.length > 0 ? levels : [WITHOUT_LEVELS],
    onNode,
    /** The memory that workers must request, and that a client may use beside its own, since the cache is memory. */
    ...(onNode.memory && { memory: bytesQuantity(onNode.memory) }),
    /** Clients read the files of a worker themselves where both see the same directories. */
    isShared: levels.every(({ isOnNode }) => isOnNode),
    /** One directory in all. */
    isPlain: levels.length === 1 && levels[0]?.paths.length === 1,
    /** The variable's value: Alluxio's scripts make the first directory from it. */
    first: levels[0]?.paths.join(',') ?? `/dev/shm/${directory}`,
  };
}

const WITHOUT_LEVELS: Level = {
  medium: 'MEM',
  paths: ['/dev/shm'],
  quotas: ['1G'],
  isOnNode: false,
  mounted: [mountedAt('/dev/shm', 'mem', { emptyDir: { medium: 'Memory', sizeLimit: '1G' } })],
};

const bySpeed = (a: Level, b: Level): number => MEDIA.indexOf(a.medium) - MEDIA.indexOf(b.medium);

function levelOf(level: TierLevel, field: string, directory: string): Level {
  const { mediumtype: medium, path = '', quota, quotaList, volumeType, volumeSource } = level;
  const { roots, bytes } = together({
    quota: () => must(quota !== undefined || quotaList, `${field}.quota`, 'the size of the level', quota),
    roots: () => togetherEach(directoriesOf(path, ',', `${field}.path`), (each) => directoryOf(each, `${field}.path`)),
    bytes: () => levelQuotas(level, field),
  });
  const quotas = bytes.map(bytesQuantity);
  const paths = roots.map((root) => cleanPath(`${root}/${directory}`));
  const isOnNode = volumeType !== 'emptyDir';
  const volumeAt = (mountPath: string, i: number): Mounted => {
    const name = `${medium.toLowerCase()}${paths.length > 1 ? `-${i}` : ''}`;
    const { medium: own, sizeLimit } = volumeSource?.emptyDir ?? {};
    const of = own ?? (medium === 'MEM' ? 'Memory' : undefined);
    const space: Volume['emptyDir'] = { ...(of && { medium: of }), sizeLimit: sizeLimit ?? quotas[i] ?? '0' };
    return mountedAt(mountPath, name, isOnNode ? undefined : { emptyDir: space });
  };
  return { medium, paths, quotas: quotas.map(alluxioSize), isOnNode, mounted: paths.map(volumeAt) };
}

/** The path becomes part of a list of properties, where blanks and commas separate. */
function directoryOf(path: string, field: string): string {
  must(!/[\s"'`$\\]/.test(path), field, 'directories separated by ","', path);
  return cleanPath(absolutePath(path, field));
}

/** Alluxio counts by 1024 under every name of a unit. */
const alluxioSize = (text: string): string => text.replace('i', 'B');

/** As properties of every process. */
export const tierProperties = (levels: readonly Level[]): Readonly<Record<string, string>> =>
  Object.assign(
    { 'alluxio.worker.tieredstore.levels': String(levels.length) },
    ...levels.map(({ medium, paths, quotas }, i) => {
      const level = `alluxio.worker.tieredstore.level${i}`;
      return {
        [`${level}.alias`]: medium,
        [`${level}.dirs.mediumtype`]: paths.map(() => medium).join(','),
        [`${level}.dirs.path`]: paths.join(','),
        [`${level}.dirs.quota`]: quotas.join(','),
      };
    }),
  ) as Record<string, string>;
