import { bytesQuantity, bytesText } from '../../api/index.ts';
import { type SlowCase, type CauseRow, evictionText, fillText, many, MUCH, storeText, timeText } from './cause.ts';
import { meanOf } from './sums.ts';

/** A cache that is this full has no room for what comes. */
const FULL = 0.95;
/** A cache that drops blocks although it is less full than this lacks room on its disk. */
const HALF_EMPTY = 0.8;
/** Mean seconds of a read from a cache on a disk that is not slow; one on an SSD takes a tenth. */
const SLOW_CACHE_S = 0.01;
const GIB = 2 ** 30;

const isFromStore = ({ figures: { shares } }: SlowCase): boolean => (shares?.store ?? 0) >= MUCH;
const isCacheOff = ({ evidence: { options } }: SlowCase): boolean => options.some(({ cost }) => cost.turnsCacheOff);
/** Blocks leave the cache, or it is full: what is read does not fit. */
const isFull = ({ figures: { sums }, fill }: SlowCase): boolean => sums.evictions > 0 || (fill?.fullest ?? 0) >= FULL;
/** Caches that JuiceFS empties to keep a share of the disk free; a worker with a size of its own does not. */
const lacksDisk = ({ figures: { sums }, fill, evidence: { cache } }: SlowCase): boolean =>
  sums.evictions > 0 && cache?.in === 'fuse' && fill?.fullest !== undefined && fill.fullest < HALF_EMPTY;

const cold: CauseRow = {
  reason: 'Cold',
  when: 'a tenth of the bytes or more come from the store, and the cache has room',
  remedy: 'a DataLoad before the data is read; a second read comes from the cache',
  find(of) {
    const { evidence, figures, fill } = of;
    if (!isFromStore(of) || isFull(of) || isCacheOff(of)) return [];
    const name = nameIn(evidence.object);
    const load = `load it before it is read: a DataLoad with spec.dataset.name ${name}, and in spec.target the paths that are read`;
    const known =
      evidence.loaded.length > 0 ? `; ${evidence.loaded[0]} is complete, so see which paths its spec.target has, and run it again` : '';
    return [
      {
        message: `${storeText(figures)}; it was not cached, and is read for the first time`,
        restsOn: [evictionText(figures), ...(fill ? [`the cache of ${many(fill.pods, 'pod')} holds ${fillText(fill)}`] : [])],
        toDo: `${load}; or wait: the second read comes from the cache${known}`,
        weight: figures.shares?.store ?? 0,
      },
    ];
  },
};

const tooSmall: CauseRow = {
  reason: 'CacheTooSmall',
  when: 'a tenth of the bytes or more come from the store, and the cache is full',
  remedy: 'a larger quota in `spec.tieredstore`, more workers if they keep the cache, or fewer data at a time',
  find(of) {
    const { evidence, figures, fill } = of;
    if (!isFromStore(of) || !isFull(of) || isCacheOff(of) || lacksDisk(of)) return [];
    const { cache, dataBytes } = evidence;
    const each = fill?.capacityBytes === undefined ? undefined : fill.capacityBytes / fill.pods;
    const needed = neededBytes(of);
    const value = needed === undefined ? undefined : (cache?.valueFor ?? quantityOf)(needed);
    const field = cache?.field ?? 'spec.tieredstore.levels';
    const from = each === undefined ? '' : ` from ${bytesText(each)}`;
    const workers = cache?.in === 'worker' ? ', or raise spec.replicas' : '';
    return [
      {
        message: `${storeText(figures)}; what is read does not fit into the cache`,
        restsOn: [
          evictionText(figures),
          ...(fill ? [`the cache of ${many(fill.pods, 'pod')} holds ${fillText(fill)}`] : []),
          ...(dataBytes === undefined ? [] : [`the Dataset has ${bytesText(dataBytes)}`]),
        ],
        toDo: `raise ${field}${from}${value === undefined ? '' : ` to ${value}, which all of the data needs`}${workers}; or read less at a time. Data that is read once needs no larger cache`,
        field,
        ...(value !== undefined && { value }),
        weight: figures.shares?.store ?? 0,
      },
    ];
  },
};

const diskShort: CauseRow = {
  reason: 'CacheDiskFull',
  when: 'blocks leave a cache that is not full: its disk is',
  remedy: 'free the disk, use another one, or lower `spec.tieredstore.levels[0].low`',
  find(of) {
    const { figures, fill } = of;
    if (!lacksDisk(of) || !fill) return [];
    return [
      {
        message: `${many(figures.sums.evictions, 'block')} left the cache ${figures.when}, which is not full: its disk lacks room`,
        restsOn: [`the cache of ${many(fill.pods, 'pod')} holds ${fillText(fill)}`],
        toDo: 'free the disk, put the cache on another one (spec.tieredstore.levels[0].path), or lower the share that is kept free (spec.tieredstore.levels[0].low)',
        field: 'spec.tieredstore.levels[0].low',
        weight: figures.shares?.store ?? 0,
      },
    ];
  },
};

const slowDisk: CauseRow = {
  reason: 'CacheDiskSlow',
  when: 'the cache is on HDD, drops blocks, or takes 10 ms a read',
  remedy: 'the cache on SSD or in memory: `mediumtype` and `path`',
  find({ evidence, figures: { sums, when, shares } }) {
    const disks = evidence.levels.filter(({ medium }) => medium === 'HDD');
    const mean = meanOf(sums.cacheReads);
    const isSlow = mean !== undefined && mean >= SLOW_CACHE_S;
    if (disks.length === 0 && sums.drops === 0 && !isSlow) return [];
    const field = `${(disks[0] ?? evidence.levels[0])?.field ?? 'spec.tieredstore.levels[0]'}.mediumtype`;
    return [
      {
        message: 'the cache itself is slow',
        restsOn: [
          ...disks.map((level) => `${level.field}.mediumtype is HDD`),
          ...(sums.drops > 0 ? [`${many(sums.drops, 'block')} ${when} were not cached, as the disk was too slow`] : []),
          ...(mean === undefined ? [] : [`a read from the cache takes ${timeText(mean)} ${when}`]),
        ],
        toDo: `put the cache on SSD or in memory: ${field}, and the path of that level`,
        field,
        value: 'SSD',
        weight: 0.5 * ((shares?.local ?? 0.5) + (shares?.remote ?? 0)),
      },
    ];
  },
};

const memory: CauseRow = {
  reason: 'CacheMemory',
  when: 'a cache in memory is larger than the memory limit of its pods',
  remedy: 'a limit above the quota, or a smaller quota',
  find({ evidence: { levels, pods, cache } }) {
    const [level] = levels.filter(({ medium }) => medium === 'MEM');
    const role = cache?.in;
    const limits = pods.flatMap(({ role: own, limits: { memory: limit } }) => (own === role && limit !== undefined ? [limit] : []));
    const least = Math.min(...limits);
    if (!level || role === undefined || level.quotaBytes === undefined || !(least < level.quotaBytes)) return [];
    const field = `spec.${role}.resources.limits.memory`;
    const value = quantityOf(level.quotaBytes * 1.5);
    return [
      {
        message: `the cache in memory may have ${bytesText(level.quotaBytes)}, its pods ${bytesText(least)}: they are ended once it is fuller`,
        restsOn: [`${level.field}.quota is ${bytesText(level.quotaBytes)}`, `the memory limit of ${role} pods is ${bytesText(least)}`],
        toDo: `raise ${field} to ${value}, or lower ${level.field}.quota`,
        field,
        value,
        weight: 0.3,
      },
    ];
  },
};

/** Room for all data and a tenth more, in the cache of one pod: each client keeps all, workers keep a part each. */
function neededBytes({ evidence: { dataBytes, cache }, fill }: SlowCase): number | undefined {
  if (dataBytes === undefined || !fill) return undefined;
  const needed = (1.1 * dataBytes) / (cache?.in === 'worker' ? fill.pods : 1);
  return fill.capacityBytes !== undefined && needed <= fill.capacityBytes / fill.pods ? undefined : needed;
}

/** Whole GiB, or MiB below one. */
const quantityOf = (bytes: number): string => {
  const unit = bytes >= GIB ? GIB : 2 ** 20;
  return bytesQuantity(Math.max(1, Math.ceil(bytes / unit)) * unit);
};

const nameIn = (object: string): string => object.slice(object.lastIndexOf('/') + 1);

export const cacheCauses: readonly CauseRow[] = [cold, tooSmall, diskShort, slowDisk, memory];
