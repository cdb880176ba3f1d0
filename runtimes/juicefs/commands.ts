import { shown } from '../../src/api/index.ts';
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
    // The few of some hundred lines that are read: thousands of pods may be asked.
    { in: holder(plan), on: 'every', argv: ['grep', '-a', 'blockcache', `${plan.mountPath}/.stats`] },
    { in: holder(plan), on: 'one', argv: ['df', '-B', '1', plan.mountPath] },
  ],
  parse: ([pods = [], tables], { source, mountPath }) => {
    const isShared = source.edition === 'enterprise';
    const figures = pods.map((stats) => figuresOf(stats, isShared ? ENTERPRISE : COMMUNITY));
    const sum = (enterprise: string, community: string) =>
      figures.reduce((total, figure) => total + (figure.get(isShared ? enterprise : community) ?? 0), 0);
    const totalBytes = usedBytes(tables?.[0], mountPath);
    return {
      cachedBytes: sum('bytes', 'bytes') / (isShared ? 1 : Math.max(1, pods.length)),
      ...ratio('hitRatio', sum('hits', 'hits'), sum('miss', 'miss')),
      ...ratio('throughputRatio', sum('hitBytes', 'hit_bytes'), sum('missBytes', 'miss_bytes')),
      ...(totalBytes !== undefined && { totalBytes }),
    };
  },
};

/** `blockcache.hits: 12`. */
const ENTERPRISE = /^blockcache\.(bytes|hits|miss|hitBytes|missBytes):?[ \t]*([0-9.e+]+)/gm;
/** `juicefs_blockcache_hits 12`. */
const COMMUNITY = /^juicefs_blockcache_(bytes|hits|miss|hit_bytes|miss_bytes):?[ \t]*([0-9.e+]+)/gm;

/** The first of each name; what is no number is 0. */
const figuresOf = (stats: string, lines: RegExp): ReadonlyMap<string, number> =>
  new Map([...stats.matchAll(lines)].map(([, name = '', value]) => [name, Number(value) || 0] as const).toReversed());

const ratio = (name: 'hitRatio' | 'throughputRatio', hits: number, misses: number) =>
  hits + misses > 0 ? { [name]: hits / (hits + misses) } : {};

export const status = ({ cacheBytes }: JuiceFSPlan, { readyWorkers, cache }: Seen): EngineStatus => ({
  cacheStates: cacheTexts(cacheBytes === 0 ? undefined : cacheBytes * readyWorkers, cache),
});

/** Caches outlive pods in directories of the node, each volume in one that is named by its UUID (community) or its name (enterprise). */
export const removeCache: Cleanup<JuiceFSPlan, string> = {
  ask: {
    // It lists every client.
    mostBytes: 1 << 20,
    commands: ({ source, pods }) =>
      source.edition === 'community' && pods.worker.nodeCaches.length > 0
        ? [{ in: 'worker', on: 'one', argv: ['sh', '-c', sh`juicefs status ${env('METAURL')}`] }]
        : [],
    parse: ([answers]) => {
      const [status = 'no answer'] = answers ?? [];
      const [, uuid] = /"UUID": *"([0-9a-f-]{36})"/i.exec(status) ?? [];
      if (uuid) return uuid;
      throw new Error(`juicefs status names no UUID: ${shown(status.slice(0, 200))}`);
    },
  },
  commands: ({ source, pods }, uuid) => {
    // Whatever the answer was, nothing above the volume's own directory is deleted.
    const id = source.edition === 'enterprise' ? source.name : /^[\w-]+$/.exec(uuid ?? '')?.[0];
    const chunks = pods.worker.nodeCaches.map((directory) => absolutePath(`${directory}/${id}/raw/chunks`, 'cache'));
    return id && chunks.length > 0 ? [{ in: 'worker', on: 'every', argv: ['rm', '-rf', ...chunks] }] : [];
  },
};
