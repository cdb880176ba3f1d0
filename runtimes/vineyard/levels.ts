import { canonicalQuantity, quantity, type TierLevel } from '../../src/api/index.ts';
import { absolutePath, cacheByMedium, cleanPath, type Mounted, mountedAt, must, type PlanInput } from '../../src/constructs/index.ts';
import type { VineyardRuntimeSpec } from './spec.ts';

export interface Levels {
  /** Memory of a worker for objects, in the words of vineyardd. */
  readonly size: string;
  readonly bytes: number;
  /** Where a worker writes what does not fit. */
  readonly spill?: Spill;
}
export interface Spill {
  readonly directory: string;
  /** Shares of the memory: above the one it starts to write, below the other it stops. */
  readonly high: string;
  readonly low: string;
  readonly bytes: number;
  readonly mounted: Mounted;
  readonly isOnNode: boolean;
}

/** Those of vineyardd. */
const HIGH = '0.8';
const LOW = '0.3';
const RATIO = /^(0(\.\d+)?|1(\.0+)?)$/;

export const indexOf = (levels: readonly TierLevel[], isMemory: boolean): number =>
  levels.findIndex(({ mediumtype, path }) => (mediumtype === 'MEM' ? isMemory : !isMemory && path));

/** The first level of memory, and the first directory. */
export function levelsOf({ spec, namespace, name }: Pick<PlanInput<VineyardRuntimeSpec>, 'spec' | 'namespace' | 'name'>): Levels {
  const levels = spec.tieredstore?.levels ?? [];
  const at = indexOf(levels, true);
  const memory = levels[at];
  must(memory, 'spec.tieredstore.levels', 'a level with mediumtype MEM', levels);
  const field = `spec.tieredstore.levels[${at}]`;
  must(memory.quota !== undefined || memory.quotaList, `${field}.quota`, 'the memory of each worker', memory.quota);
  const bytes = cacheByMedium([memory]).memory ?? 0;
  // Less is not even the head of one object.
  must(bytes > 2048, `${field}.quota`, 'more than 2Ki', memory.quota);
  const text = memory.quotaList || memory.quota === undefined ? '' : canonicalQuantity(memory.quota, `${field}.quota`);
  const spill = spillOf(levels, memory, `${namespace}/${name}`);
  return { size: /^\d+[KMG]i$/.test(text) ? text : String(bytes), bytes, ...(spill && { spill }) };
}

function spillOf(levels: readonly TierLevel[], memory: TierLevel, own: string): Spill | undefined {
  const at = indexOf(levels, false);
  const level = levels[at];
  if (!level) return undefined;
  const field = `spec.tieredstore.levels[${at}]`;
  const path = cleanPath(absolutePath(level.path ?? '', `${field}.path`));
  must(path !== '/' && !path.includes(',') && !path.includes(':'), `${field}.path`, 'one directory below /', level.path);
  // The watermarks are shares of the memory; as in Fluid's example they may also stand at the level of disks.
  const { high = level.high ?? HIGH } = memory;
  const { low = level.low ?? LOW } = memory;
  for (const [name, said] of Object.entries({ high, low })) must(RATIO.test(said), `${field}.${name}`, 'a ratio from 0 to 1', said);
  must(Number(low) < Number(high), `${field}.low`, `less than high, ${high}`, low);
  const isOnNode = level.volumeType !== 'emptyDir';
  const directory = isOnNode ? `${path}/${own}` : path;
  const sized = () => (level.quota === undefined ? {} : { sizeLimit: canonicalQuantity(level.quota, `${field}.quota`) });
  const source = isOnNode ? undefined : { emptyDir: level.volumeSource?.emptyDir ?? sized() };
  return {
    directory,
    high,
    low,
    bytes: level.quota === undefined && !level.quotaList ? 0 : (cacheByMedium([level]).disk ?? 0),
    mounted: mountedAt(directory, 'vineyard-spill', source),
    isOnNode,
  };
}

const MI = 1024 ** 2;
/** Beside the objects, as in Fluid. */
const OVERHEAD = 500;

/** Memory that a worker needs: a container with less would be killed while it reserves it. */
export const memoryOf = ({ bytes }: Levels): string => canonicalQuantity(`${Math.ceil(bytes / MI) + OVERHEAD}Mi`, 'quota');

/** Whether `said` is less than a worker needs. */
export const isLess = (said: string | number | undefined, needed: string, path: string): boolean =>
  said === undefined || quantity(said, path) < quantity(needed, path);
