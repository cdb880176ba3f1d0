import { canonicalQuantity, type TierLevel } from '../../src/api/index.ts';
import { cacheDirectory, directoriesOf, levelQuotas, type Mounted, mountedAt, must, type PlanInput } from '../../src/constructs/index.ts';
import type { EFCRuntimeSpec } from './spec.ts';

/** The cache of a worker: one directory. */
export interface Tier {
  readonly isMemory: boolean;
  /** Whether the cache outlives the pods. */
  readonly isOnNode: boolean;
  /** A directory of this runtime alone. */
  readonly directory: string;
  /** In whole GiB, the unit of EFC. */
  readonly gibibytes: number;
  /** A Kubernetes quantity. */
  readonly quota: string;
  /** In bytes; 0 if the spec says nothing. */
  readonly bytes: number;
  readonly mounted: Mounted;
}

const GI = 1024 ** 3;
const MEDIA = ['MEM', 'SSD', 'HDD'];
/** Fluid's default without levels: a little memory of the pod. */
const WITHOUT_LEVELS: TierLevel = { mediumtype: 'MEM', volumeType: 'emptyDir', path: '/cache_dir', quota: '1Gi' };

/** Index of the level that is used, the fastest one; -1 without levels. */
export function usedLevel({ tieredstore: { levels = [] } = {} }: EFCRuntimeSpec): number {
  const [first] = levels.map(({ mediumtype }, i) => [MEDIA.indexOf(mediumtype), i] as const).toSorted(([a], [b]) => a - b);
  return first?.[1] ?? -1;
}

/** The fastest level, and of it the first directory: EFC has no more. */
export function tierOf({ spec, namespace, name }: Pick<PlanInput<EFCRuntimeSpec>, 'spec' | 'namespace' | 'name'>): Tier {
  const index = usedLevel(spec);
  const said = spec.tieredstore?.levels?.[index];
  const level = said ?? WITHOUT_LEVELS;
  const field = `spec.tieredstore.levels[${index}]`;
  const { mediumtype, volumeType, path = '', quota, quotaList } = level;
  must(quota !== undefined || quotaList, `${field}.quota`, 'the size of the level', quota);
  const directories = directoriesOf(path, ',', `${field}.path`);
  const [first = ''] = directories;
  const [bytes = 0] = levelQuotas(level, field);
  const { length } = directories;
  const least =
    length > 1 && quotaList === undefined ? `at least ${length}Gi for ${length} directories` : 'at least 1Gi for its first directory';
  must(bytes >= GI, `${field}.${quotaList === undefined ? 'quota' : 'quotaList'}`, least, quotaList ?? quota);
  const directory = `${directoryOf(first, `${field}.path`)}/${namespace}/${name}`;
  const isMemory = mediumtype === 'MEM';
  const isOnNode = volumeType !== 'emptyDir';
  const size = canonicalQuantity(`${Math.floor(bytes / 1024 ** 2)}Mi`, `${field}.quota`);
  const space = { ...(isMemory && { medium: 'Memory' }), sizeLimit: size };
  return {
    isMemory,
    isOnNode,
    directory,
    gibibytes: Math.floor(bytes / GI),
    quota: size,
    bytes: said ? bytes : 0,
    mounted: mountedAt(directory, mediumtype.toLowerCase(), isOnNode ? undefined : { emptyDir: space }),
  };
}

/** The path becomes the value of an option in a list, and a path in a container, which takes no ":". */
function directoryOf(path: string, field: string): string {
  must(!/[\s\p{Cc}"'`$\\=:]/u.test(path), field, 'an absolute path without blanks, quotes, "$", "\\", "=" and ":"', path);
  return cacheDirectory(path, field);
}
