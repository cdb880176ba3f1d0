import { canonicalQuantity, type TierLevel } from '../../src/api/index.ts';
import { cacheDirectory, directoriesOf, levelQuotas, type Mounted, mountedAt, must, type PlanInput } from '../../src/constructs/index.ts';
import type { JindoRuntimeSpec } from './spec.ts';

/** The cache: directories of one medium. */
export interface Tier {
  readonly isMemory: boolean;
  readonly isOnNode: boolean;
  /** Where a worker keeps its data, one directory of this runtime alone in each path. */
  readonly directories: readonly string[];
  /** For each directory, in the units of Jindo. */
  readonly capacities: readonly string[];
  /** All of it, in the units of Jindo. */
  readonly capacity: string;
  /** All of it, in bytes; 0 if the spec says nothing. */
  readonly bytes: number;
  readonly high?: string;
  readonly low?: string;
  readonly master: Mounted;
  readonly worker: readonly Mounted[];
  /** Mounts of clients. */
  readonly fuse: readonly Mounted[];
}

const MI = 1024 ** 2;
/** Jindo's default without levels: a little memory of the node. */
const WITHOUT_LEVELS: TierLevel = { mediumtype: 'MEM', volumeType: 'hostPath', path: '/dev/shm', quota: '1Gi', high: '0.8', low: '0.6' };

const RATIO = /^(0(\.\d+)?|1(\.0+)?)$/;

/** Where masters keep their metadata: in the first directory of the cache. */
export const metadataIn = ([first = '']: readonly string[]): string => `${first}/server`;

/** The first level, which is the only one that Jindo has. */
export function tierOf({ spec, namespace, name, runtime }: PlanInput<JindoRuntimeSpec>): Tier {
  const [said] = spec.tieredstore?.levels ?? [];
  const level = said ?? WITHOUT_LEVELS;
  const field = 'spec.tieredstore.levels[0]';
  const { mediumtype, volumeType, volumeSource, path = '', quota, quotaList, high, low } = level;
  must(quota !== undefined || quotaList, `${field}.quota`, 'the size of the level', quota);
  for (const [name, said] of Object.entries({ high, low }))
    must(!said || RATIO.test(said), `${field}.${name}`, 'a ratio from 0 to 1, such as 0.95', said);
  const paths = directoriesOf(path, ',', `${field}.path`).map((each) => directoryOf(each, `${field}.path`));
  const quotas = levelQuotas({ ...level, path: paths.join(',') }, field).map((bytes) => mebibytes(bytes, `${field}.quota`));
  const directories = paths.map((each) => `${each}/${namespace}/${name}/${runtime.engine}`);
  const isMemory = mediumtype === 'MEM';
  const isOnNode = volumeType !== 'emptyDir';
  const medium = volumeSource?.emptyDir?.medium ?? (isMemory ? 'Memory' : undefined);
  const mounted = (i: number, mountPath: string, sizeLimit?: string): Mounted => {
    const space = { ...(medium && { medium }), ...(sizeLimit && { sizeLimit }) };
    return mountedAt(mountPath, `datavolume-${i + 1}`, isOnNode ? undefined : { emptyDir: space });
  };
  const worker = paths.map((each, i) => mounted(i, each, quantityText(quotas[i] ?? 0)));
  const total = quotas.reduce((sum, each) => sum + each, 0);
  return {
    isMemory,
    isOnNode,
    directories,
    capacities: quotas.map(jindoSize),
    capacity: jindoSize(total),
    bytes: said ? total * MI : 0,
    ...(high !== undefined && { high }),
    ...(low !== undefined && { low }),
    master: mounted(0, directories[0] ?? ''),
    worker,
    fuse: isOnNode ? worker : [],
  };
}

/** The path becomes an entry of a list in a file of lines. */
function directoryOf(path: string, field: string): string {
  must(!/[\s\p{Cc}"'`$\\]/u.test(path), field, 'directories separated by ","', path);
  return cacheDirectory(path, field);
}

/** Jindo has no smaller unit that is whole. */
function mebibytes(bytes: number, field: string): number {
  must(bytes >= MI, field, 'at least 1Mi for each directory', String(bytes));
  return Math.floor(bytes / MI);
}

/** `4g`, `500m`: Jindo's units are powers of 1024. */
const jindoSize = (mi: number): string => (mi % 1024 === 0 ? `${mi / 1024}g` : `${mi}m`);

export const quantityText = (mi: number): string => canonicalQuantity(`${mi}Mi`, 'quota');
