import { bytesText, percentText } from '../../src/api/index.ts';
import { absolutePath, type CacheUse, type Cleanup, env, type Probe, type Seen, sh } from '../../src/constructs/index.ts';
import type { JuiceFSPlan } from './plan.ts';

/** Enterprise workers serve the cache to all; a community client has a cache of its own, so readers are asked and the average told. */
export const cacheUse: Probe<JuiceFSPlan, CacheUse> = {
  commands: ({ source, mountPath }) => [
    { in: source.edition === 'enterprise' ? 'worker' : 'fuse', on: 'every', argv: ['cat', `${mountPath}/.stats`] },
  ],
  parse: ([pods = []], { source }) => {
    const isShared = source.edition === 'enterprise';
    const sum = (enterprise: string, community: string) =>
      pods.reduce((total, stats) => total + metricIn(stats, isShared ? `blockcache.${enterprise}` : `juicefs_blockcache_${community}`), 0);
    const hitRatio = ratio(sum('hits', 'hits'), sum('miss', 'miss'));
    const throughputRatio = ratio(sum('hitBytes', 'hit_bytes'), sum('missBytes', 'miss_bytes'));
    return {
      cachedBytes: sum('bytes', 'bytes') / (isShared ? 1 : Math.max(1, pods.length)),
      ...(hitRatio !== undefined && { hitRatio }),
      ...(throughputRatio !== undefined && { throughputRatio }),
    };
  },
};

/** A line of `.stats`, `name: 12` (enterprise) or `name 12` (community); 0 where there is none. */
function metricIn(stats: string, name: string): number {
  const line = stats.split('\n').find((line) => line.startsWith(name) && /^:?\s/.test(line.slice(name.length)));
  return Number.parseFloat(line?.slice(name.length).replace(/^:?\s+/, '') ?? '') || 0;
}

const ratio = (hits: number, misses: number): number | undefined => (hits + misses > 0 ? hits / (hits + misses) : undefined);

export function cacheStates({ cacheBytes }: JuiceFSPlan, { readyWorkers, cache, ufs }: Seen): Readonly<Record<string, string>> {
  return {
    cacheCapacity: cacheBytes ? bytesText(cacheBytes * readyWorkers) : '',
    cacheHitRatio: cache ? percent(cache.hitRatio) : '',
    cacheThroughputRatio: cache ? percent(cache.throughputRatio) : '',
    cached: cache ? bytesText(cache.cachedBytes) : '',
    cachedPercentage: cache && ufs ? (percentText(cache.cachedBytes, ufs.totalBytes) ?? percent(0)) : '',
  };
}
const percent = (ratio = 0): string => percentText(ratio, 1) as string;

/** Cache outlives its pods in directories of the node. In each, a community volume has a directory named by its UUID, an enterprise one by its name. */
export const removeCache: Cleanup<JuiceFSPlan, string> = {
  ask: {
    commands: ({ source }) =>
      source.edition === 'community' ? [{ in: 'worker', on: 'one', argv: ['sh', '-c', sh`juicefs status ${env('METAURL')}`] }] : [],
    parse: ([status], { source }) => {
      if (source.edition === 'enterprise') return source.name;
      const [, uuid] = /"UUID": *"([0-9a-f-]{36})"/i.exec(status?.[0] ?? '') ?? [];
      if (uuid) return uuid;
      throw new Error(`juicefs status names no UUID: ${status?.[0] ?? 'no answer'}`);
    },
  },
  commands: ({ pods, cleaning }, id) => {
    const directories = pods.worker.nodeCaches.map((directory) => absolutePath(`${directory}/${id}/raw/chunks`, 'cache'));
    return id && directories.length > 0
      ? [{ in: 'worker', on: 'every', argv: ['rm', '-rf', ...directories], timeoutSeconds: cleaning.graceSeconds }]
      : [];
  },
};
