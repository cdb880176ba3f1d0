import {
  absolutePath,
  cacheTexts,
  type CacheUse,
  type Cleanup,
  env,
  type Probe,
  type Role,
  type Seen,
  type EngineStatus,
  sh,
  usedBytes,
} from '../../src/constructs/index.ts';
import type { JuiceFSPlan } from './plan.ts';

/** Enterprise workers cache for all clients. A community client has a cache of its own: the status reports the average of the fuse pods. */
const holder = ({ source }: JuiceFSPlan): Role => (source.edition === 'enterprise' ? 'worker' : 'fuse');

export const cacheUse: Probe<JuiceFSPlan, CacheUse> = {
  commands: (plan) => [
    { in: holder(plan), on: 'every', argv: ['cat', `${plan.mountPath}/.stats`] },
    { in: holder(plan), on: 'one', argv: ['df', '-B', '1', plan.mountPath] },
  ],
  parse: ([pods = [], tables], { source, mountPath }) => {
    const isShared = source.edition === 'enterprise';
    const sum = (enterprise: string, community: string) =>
      pods.reduce((total, stats) => total + metric(stats, isShared ? `blockcache.${enterprise}` : `juicefs_blockcache_${community}`), 0);
    const totalBytes = usedBytes(tables?.[0], mountPath);
    return {
      cachedBytes: sum('bytes', 'bytes') / (isShared ? 1 : Math.max(1, pods.length)),
      ...ratio('hitRatio', sum('hits', 'hits'), sum('miss', 'miss')),
      ...ratio('throughputRatio', sum('hitBytes', 'hit_bytes'), sum('missBytes', 'miss_bytes')),
      ...(totalBytes !== undefined && { totalBytes }),
    };
  },
};

/** `name: 12` (enterprise) or `name 12` (community); 0 if it is absent. */
const metric = (stats: string, name: string): number =>
  Number(stats.match(new RegExp(`^${name.replace('.', '\\.')}(?:: ?|\\s)\\s*([0-9.e+]+)`, 'm'))?.[1]) || 0;

const ratio = (name: 'hitRatio' | 'throughputRatio', hits: number, misses: number) =>
  hits + misses > 0 ? { [name]: hits / (hits + misses) } : {};

export const status = ({ cacheBytes }: JuiceFSPlan, { readyWorkers, cache }: Seen): EngineStatus => ({
  cacheStates: cacheTexts(cacheBytes === 0 ? undefined : cacheBytes * readyWorkers, cache),
});

/** Caches outlive pods in directories of the node, each volume in one that is named by its UUID (community) or its name (enterprise). */
export const removeCache: Cleanup<JuiceFSPlan, string> = {
  ask: {
    commands: ({ source, pods }) =>
      source.edition === 'community' && pods.worker.nodeCaches.length > 0
        ? [{ in: 'worker', on: 'one', argv: ['sh', '-c', sh`juicefs status ${env('METAURL')}`] }]
        : [],
    parse: ([answers]) => {
      const [status = 'no answer'] = answers ?? [];
      const [, uuid] = /"UUID": *"([0-9a-f-]{36})"/i.exec(status) ?? [];
      if (uuid) return uuid;
      throw new Error(`juicefs status names no UUID: ${status}`);
    },
  },
  commands: ({ source, pods }, uuid) => {
    // Whatever the answer was, nothing above the volume's own directory is deleted.
    const id = source.edition === 'enterprise' ? source.name : /^[\w-]+$/.exec(uuid ?? '')?.[0];
    const chunks = pods.worker.nodeCaches.map((directory) => absolutePath(`${directory}/${id}/raw/chunks`, 'cache'));
    return id && chunks.length > 0 ? [{ in: 'worker', on: 'every', argv: ['rm', '-rf', ...chunks] }] : [];
  },
};
