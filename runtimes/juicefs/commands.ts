import { shown } from '../../src/api/index.ts';
import {
  absolutePath,
  type BytesRead,
  cacheTexts,
  diskUsage,
  type CacheUse,
  type Cleanup,
  env,
  type Probe,
  type Role,
  type Observation,
  type EngineStatus,
  sh,
  type UfsUsage,
  usedBytes,
} from '../../src/constructs/index.ts';
import type { JuiceFSPlan } from './plan.ts';
import { PROGRAMS } from './script.ts';
import { seenStore, STORE_FAILS, type StoreSeen } from './store.ts';

/** Enterprise workers cache for all clients. A community client has a cache of its own: the status reports the average of the fuse pods. */
const holder = ({ source }: JuiceFSPlan): Role => (source.edition === 'enterprise' ? 'worker' : 'fuse');

/** The figures of the cache, and whether the object store answers. */
type Use = CacheUse & { readonly store?: StoreSeen; readonly read?: readonly BytesRead[] };

export const cacheUse: Probe<JuiceFSPlan, Use> = {
  commands: (plan) => [
    // The few of some hundred lines that are read: thousands of pods may be asked.
    { in: holder(plan), on: 'every', argv: ['grep', '-a', ...LINES.flatMap((each) => ['-e', each]), `${plan.mountPath}/.stats`] },
    ...(isCounted(plan) ? [] : [{ in: holder(plan), on: 'one', argv: ['df', '-B', '1', plan.mountPath] } as const]),
  ],
  parse: ([pods = [], sizes], plan, before) => {
    const isShared = plan.source.edition === 'enterprise';
    const figures = pods.map((stats) => figuresOf(stats, isShared ? ENTERPRISE : COMMUNITY));
    for (const [i, figure] of figures.entries())
      if (!figure.has('bytes')) throw new Error(`.stats has no blockcache figures: ${shown(pods[i]?.slice(0, 200))}`);
    const sum = (enterprise: string, community: string) =>
      figures.reduce((total, figure) => total + (figure.get(isShared ? enterprise : community) ?? 0), 0);
    const totalBytes = usedBytes(sizes?.[0], plan.mountPath);
    const store = seenStore(figures, before?.value.store);
    const read = figures.flatMap(readOf);
    return {
      ...(store && { store }),
      ...(read.length > 0 && { read }),
      cachedBytes: sum('bytes', 'bytes') / (isShared ? 1 : Math.max(1, pods.length)),
      ...ratio('hitRatio', sum('hits', 'hits'), sum('miss', 'miss')),
      ...ratio('throughputRatio', sum('hitBytes', 'hit_bytes'), sum('missBytes', 'miss_bytes')),
      ...(totalBytes !== undefined && { totalBytes }),
      ...marked(figures[0]),
    };
  },
};

/**
 * A client that was started again has another time of its start. Enterprise workers do not print theirs, so nothing would tell one that
 * answers again from a new one.
 */
function readOf(figure: ReadonlyMap<string, number>): readonly BytesRead[] {
  const [hits, misses, started] = ['hit_bytes', 'miss_bytes', 'process_start_time_seconds'].map((name) => figure.get(name));
  return started === undefined || hits === undefined ? [] : [{ client: String(started), cacheBytes: hits, storeBytes: misses ?? 0 }];
}

/** The mark is that of the whole volume: the size of a directory is not known without reading it. A client that has just started says 0. */
function marked(figure: ReadonlyMap<string, number> | undefined): Pick<CacheUse, 'dataMark'> {
  const [space, inodes] = [figure?.get('used_space'), figure?.get('used_inodes')];
  return space && inodes ? { dataMark: `${space}/${inodes}` } : {};
}

/** For a directory without a quota, `df` prints the size of the whole volume. To count it, JuiceFS reads every directory below. */
const isCounted = ({ source }: JuiceFSPlan): boolean => source.edition === 'community' && source.subPath !== undefined && !source.quota;

const whole = diskUsage('worker');
export const size: Probe<JuiceFSPlan, UfsUsage> = {
  commands: (plan) =>
    isCounted(plan)
      ? [
          {
            in: 'worker',
            on: 'one',
            argv: [PROGRAMS.community.juicefs, 'summary', '--depth', '0', '--csv', plan.mountPath],
            timeoutSeconds: 1500,
          },
        ]
      : whole.commands(plan),
  parse(answers, plan) {
    if (!isCounted(plan)) return whole.parse(answers, plan);
    const answer = answers[0]?.[0];
    const [, bytes, files] = /^\/,(\d{1,16}),\d+,(\d{1,16})$/m.exec(answer ?? '') ?? [];
    if (bytes === undefined) throw new Error(`juicefs summary names no size: ${shown(answer?.slice(0, 200))}`);
    return { totalBytes: Number(bytes), files: Number(files) };
  },
};

const LINES = ['blockcache', 'juicefs_used_', 'object_request', 'process_start'];
/** `blockcache.hits: 12`. */
const ENTERPRISE = /^blockcache\.(bytes|hits|miss|hitBytes|missBytes):?[ \t]*([0-9.e+]+)/gm;
/** `juicefs_blockcache_hits 12`. */
const COMMUNITY = /^juicefs_([A-Za-z_]+):?[ \t]*([0-9.e+]+)/gm;

/** The first of each name, without `blockcache_`; what is no number is 0. */
const figuresOf = (stats: string, lines: RegExp): ReadonlyMap<string, number> =>
  new Map(
    [...stats.matchAll(lines)].map(([, name = '', value]) => [name.replace('blockcache_', ''), Number(value) || 0] as const).toReversed(),
  );

const ratio = (name: 'hitRatio' | 'throughputRatio', hits: number, misses: number) =>
  hits + misses > 0 ? { [name]: hits / (hits + misses) } : {};

export const status = ({ cacheBytes }: JuiceFSPlan, { readyWorkers, cache, ufs }: Observation<Use>): EngineStatus => ({
  cacheStates: cacheTexts(cacheBytes === 0 ? undefined : cacheBytes * readyWorkers, cache && { ...ufs, ...cache }),
  ...(cache?.read && { read: cache.read }),
  ...(cache?.store &&
    cache.store.fails !== false && { unavailable: cache.store.fails ? { reason: 'RequestsFail', message: STORE_FAILS } : null }),
});

/**
 * Caches outlive pods in directories of the node, each volume in one that is named by its UUID (community) or its name (enterprise). Another
 * Dataset of the same volume reads the same blocks: while a client of one is known to the metadata engine, they stay. Clients that may only
 * read are not known to it.
 */
export const removeCache: Cleanup<JuiceFSPlan, string> = {
  ask: {
    // The command lists every client.
    mostBytes: 1 << 20,
    commands: ({ source, pods }) =>
      source.edition === 'community' && pods.worker.nodeCaches.length > 0
        ? [{ in: 'worker', on: 'one', argv: ['sh', '-c', sh`juicefs status ${env('METAURL')}`] }]
        : [],
    parse: ([answers], { mountPath }) => {
      const [status = 'no answer'] = answers ?? [];
      const [, uuid] = /"UUID": *"([0-9a-f-]{36})"/i.exec(status) ?? [];
      if (!uuid) throw new Error(`juicefs status names no UUID: ${shown(status.slice(0, 200))}`);
      // Clients of sidecars have paths of their own in the same folder.
      const own = mountPath.slice(0, mountPath.lastIndexOf('/') + 1);
      const others = [...status.matchAll(/"MountPoint": *"(\/[^"]*)"/g)].filter(([, path = '']) => !path.startsWith(own));
      return others.length > 0 ? '' : uuid;
    },
  },
  commands: ({ source, pods }, uuid) => {
    // No answer leads to a deletion above the volume's own directory.
    const id = source.edition === 'enterprise' ? source.name : /^[\w-]+$/.exec(uuid ?? '')?.[0];
    const folders = pods.worker.nodeCaches.map((directory) => absolutePath(`${directory}/${id}`, 'cache'));
    return id && folders.length > 0 ? [{ in: 'worker', on: 'every', argv: ['sh', '-c', CLEAN, 'sh', ...folders] }] : [];
  },
};

/** Blocks that wait to be uploaded, in `rawstaging`, stay; so does what a folder has besides. */
const CLEAN = `code=0
for folder; do
  rm -rf "$folder/raw/chunks" || code=1
  rmdir "$folder/raw" "$folder/rawstaging" 2> /dev/null
  [ -e "$folder/rawstaging" ] || rm -f "$folder/.lock"
  rmdir "$folder" 2> /dev/null
done
exit $code`;
