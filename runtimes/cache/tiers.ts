import { canonicalQuantity, quantity, type Volume } from '../../src/api/index.ts';
import { absolutePath, directoriesWithinReason, type Mounted, mountedAt, must, togetherEach } from '../../src/constructs/index.ts';
import type { TierLevels } from './spec.ts';

/** A level as runtime.json has it. */
export interface TierConfig {
  readonly mountPaths: readonly string[];
  /** `MEM` or `HDD`: Fluid's classes know no other. */
  readonly mediumType: 'MEM' | 'HDD';
  readonly quotas: readonly string[];
  readonly high?: string;
  readonly low?: string;
}
export interface Tiers {
  readonly levels: readonly TierConfig[];
  readonly mounted: readonly Mounted[];
  /** Bytes of memory that the levels take of the container's. */
  readonly memoryBytes: number;
  /** Bytes in a pod, by medium. */
  readonly bytes: Readonly<Partial<Record<'memory' | 'disk', number>>>;
}

type Level = TierLevels[number];
interface Directory {
  readonly mounted: Mounted;
  readonly quota: string;
}

const DIRECTORY = '/etc/fluid/mount/tiered-store';
const SHARED_MEMORY = '/dev/shm';

/**
 * The levels of a cache as volumes of a pod.
 * @param field `spec.worker.tieredStore.levels`
 * @throws InvalidSpec when a level is none of the three kinds or of several, has no space, or is a second one at /dev/shm
 */
export function tiersOf(levels: TierLevels = [], field: string): Tiers {
  const inMemory = levels.filter(({ processMemory }) => processMemory).length;
  must(inMemory <= 1, field, 'at most one level with processMemory, which is at /dev/shm', inMemory);
  directoriesWithinReason(
    levels.map(({ hostPath }) => hostPath?.paths?.length ?? 1),
    field,
  );
  const tiers = togetherEach(levels, (level, i) => tierOf(level, i, `${field}[${i}]`));
  const sum = (medium: TierConfig['mediumType']) =>
    tiers
      .filter(({ config: { mediumType } }) => mediumType === medium)
      .reduce((total, { config: { quotas } }) => total + quotas.reduce((bytes, each) => bytes + quantity(each, field), 0), 0);
  const [memory, disk] = [sum('MEM'), sum('HDD')];
  return {
    levels: tiers.map(({ config }) => config),
    mounted: tiers.flatMap(({ mounted }) => mounted),
    memoryBytes: memory,
    bytes: { ...(memory > 0 && { memory }), ...(disk > 0 && { disk }) },
  };
}

function tierOf(level: Level, index: number, field: string): { readonly config: TierConfig; readonly mounted: readonly Mounted[] } {
  const kinds = (['processMemory', 'emptyDir', 'hostPath'] as const).filter((kind) => level[kind]);
  must(kinds.length === 1, field, 'one of processMemory, emptyDir and hostPath', kinds.length > 0 ? kinds.join(' and ') : undefined);
  const directories = directoriesOf(level, index, field);
  const isMemory = level.processMemory !== undefined || level.emptyDir?.medium === 'Memory';
  return {
    config: {
      mountPaths: directories.map(({ mounted }) => mounted.mount.mountPath),
      mediumType: isMemory ? 'MEM' : 'HDD',
      quotas: directories.map(({ quota }) => quota),
      ...(level.high && { high: level.high }),
      ...(level.low && { low: level.low }),
    },
    mounted: directories.map(({ mounted }) => mounted),
  };
}

function directoriesOf({ processMemory, emptyDir, hostPath }: Level, index: number, field: string): readonly Directory[] {
  const at = (name: string, mountPath: string, source: Omit<Volume, 'name'>, quota: string): Directory => ({
    mounted: mountedAt(mountPath, name, source),
    quota,
  });
  if (processMemory) {
    const sizeLimit = spaceOf(processMemory.quota, `${field}.processMemory.quota`);
    return [at(`tiered-store-level-${index}-memory`, SHARED_MEMORY, { emptyDir: { medium: 'Memory', sizeLimit } }, sizeLimit)];
  }
  const place = (kind: string, i: number) => `${DIRECTORY}/level-${index}-index-${i}-${kind}`;
  const name = (i: number) => `tiered-store-level-${index}-index-${i}`;
  if (emptyDir) {
    const sizeLimit = spaceOf(emptyDir.quota, `${field}.emptyDir.quota`);
    const space = { ...(emptyDir.medium && { medium: emptyDir.medium }), sizeLimit };
    return [at(name(0), place('emptydir', 0), { emptyDir: space }, sizeLimit)];
  }
  const { paths = [], quotas = [], type } = hostPath ?? {};
  must(quotas.length === paths.length, `${field}.hostPath.quotas`, `${paths.length} amounts, one for each path`, quotas);
  return paths.map((each, i) => {
    const path = absolutePath(each, `${field}.hostPath.paths[${i}]`);
    const quota = spaceOf(quotas[i] ?? 0, `${field}.hostPath.quotas[${i}]`);
    return at(name(i), place('hostpath', i), { hostPath: { path, ...(type && { type }) } }, quota);
  });
}

function spaceOf(amount: string | number, field: string): string {
  must(quantity(amount, field) > 0, field, 'an amount above 0', amount);
  return canonicalQuantity(amount, field);
}
