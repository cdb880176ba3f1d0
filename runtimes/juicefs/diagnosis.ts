import { keyPath, quantity, shown } from '../../src/api/index.ts';
import type { ChosenOption, Diagnosis, DiagnosedSpecs, PodCounters, Requests } from '../../src/constructs/index.ts';
import { editionOf } from './source.ts';
import { optionCosts } from './option-costs.ts';
import type { JuiceFSRuntimeSpec } from './spec.ts';

type Specs = DiagnosedSpecs<JuiceFSRuntimeSpec>;

/** The default of JuiceFS. Source: `juicefs mount --help`. */
const USUAL_CACHE = 100 * 2 ** 30;
const MIB = 2 ** 20;

/**
 * The client of the pod is the mount whose folder Sluice has named; those of sidecars are in folders of their own beside it. `.stats` has some
 * 9 KB. The script has no text of a user.
 */
const SCRIPT = `found=
while read -r _ path type _; do
  case $type:$path in
    fuse.juicefs:*/sidecar-*) ;;
    fuse.juicefs:*/juicefs-fuse) found=$path ;;
  esac
done < /proc/self/mounts
[ -n "$found" ] || { echo 'no file system of JuiceFS is mounted' >&2; exit 1; }
exec grep -a -e blockcache -e fuse -e object_request -e process_start "$found/.stats"`;

export const diagnosis: Diagnosis<JuiceFSRuntimeSpec> = {
  cache: cacheSetting,
  counters: {
    // A community worker caches for itself: no reader gets anything from it.
    command: ({ role }) => (role === 'master' ? undefined : { argv: ['sh', '-c', SCRIPT] }),
    parse: (answer, { role }) => {
      const community = figuresOf(answer, COMMUNITY);
      if (community.has('blockcache_bytes')) return role === 'worker' ? {} : ofCommunity(community);
      const enterprise = figuresOf(answer, ENTERPRISE);
      if (enterprise.has('blockcache.bytes')) return ofEnterprise(enterprise, role === 'worker');
      throw new Error(`.stats has no blockcache figures: ${shown(answer.slice(0, 200))}`);
    },
  },
  costs: optionCosts,
  chosen,
};

/** `juicefs_blockcache_hits 12`; a label of the metric, such as `GET`, follows its name. */
const COMMUNITY = /^juicefs_([A-Za-z_]{1,120}) (\d{1,20}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?)$/gm;
/** `blockcache.hits: 12`. */
const ENTERPRISE = /^(blockcache\.[A-Za-z]{1,60}): (\d{1,20}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?)$/gm;

type Figures = ReadonlyMap<string, number>;
const figuresOf = (answer: string, lines: RegExp): Figures =>
  new Map([...answer.matchAll(lines)].map(([, name = '', value]) => [name, Number(value)] as const));

function ofCommunity(figures: Figures): PodCounters {
  const of = (name: string) => figures.get(name) ?? 0;
  const sum = (prefix: string) => [...figures].reduce((total, [name, value]) => (isMetadata(name, prefix) ? total + value : total), 0);
  const store = 'object_request_durations_histogram_seconds_GET';
  return {
    ...(figures.has('process_start_time_seconds') && { process: String(of('process_start_time_seconds')) }),
    bytes: { local: of('blockcache_hit_bytes'), store: of('blockcache_miss_bytes') },
    evictions: of('blockcache_evicts'),
    drops: of('blockcache_drops'),
    cache: { usedBytes: of('blockcache_bytes') },
    store: {
      ...requests(of(`${store}_total`), of(`${store}_sum`), of('object_request_data_bytes_GET')),
      errors: of('object_request_errors'),
    },
    cacheReads: requests(of('blockcache_read_hist_seconds_total'), of('blockcache_read_hist_seconds_sum'), of('blockcache_hit_bytes')),
    reads: requests(of('fuse_ops_total_read'), of('fuse_ops_durations_seconds_read'), of('fuse_read_size_bytes_sum')),
    metadata: { count: sum('fuse_ops_total_'), seconds: sum('fuse_ops_durations_seconds_') },
  };
}

const requests = (count: number, seconds: number, bytes: number): Requests => ({ count, seconds, bytes });
const isMetadata = (name: string, prefix: string): boolean =>
  name.startsWith(prefix) && name !== `${prefix}read` && name !== `${prefix}write`;

/** Clients of this edition take from the workers' cache what they have not themselves; workers take it from the store. */
function ofEnterprise(figures: Figures, isWorker: boolean): PodCounters {
  const of = (name: string) => figures.get(`blockcache.${name}`) ?? 0;
  return {
    bytes: isWorker ? { remote: of('hitBytes'), store: of('missBytes') } : { local: of('hitBytes') },
    ...(figures.has('blockcache.evict') && { evictions: of('evict') }),
    cache: { usedBytes: of('bytes') },
  };
}

function cacheSetting({ spec, dataset }: Specs): ReturnType<Diagnosis<JuiceFSRuntimeSpec>['cache']> {
  const role = editionOf(dataset) === 'enterprise' ? 'worker' : 'fuse';
  const size = spec[role]?.options?.['cache-size'];
  if (size !== undefined) return { in: role, ...sized(mebibytes(size)), field: `spec.${role}.options.cache-size`, valueFor: inMebibytes };
  const [level] = spec.tieredstore?.levels ?? [];
  const field = 'spec.tieredstore.levels[0].quota';
  if (!level) return { in: role, bytes: USUAL_CACHE, field };
  return { in: role, ...sized(level.quota === undefined ? undefined : quantity(level.quota, field)), field };
}
const inMebibytes = (bytes: number): string => String(Math.ceil(bytes / MIB));
const sized = (bytes: number | undefined) => (bytes === undefined ? {} : { bytes });

/** `1024` is in MiB; newer versions take `1G` too. */
function mebibytes(text: string): number | undefined {
  const [, amount, unit = 'M'] = /^(\d{1,9}(?:\.\d{1,6})?)([KMGTP])?$/i.exec(text.trim()) ?? [];
  return amount === undefined ? undefined : Number(amount) * MIB * 1024 ** ('KMGTP'.indexOf(unit.toUpperCase()) - 1);
}

/** Options for readers: the runtime's options win over the mount's, and these over the shared ones. */
function chosen({ spec, dataset }: Specs): readonly ChosenOption[] {
  const parts = [
    ['Dataset spec.sharedOptions', dataset.sharedOptions],
    ['Dataset spec.mounts[0].options', dataset.mounts?.[0]?.options],
    ['spec.fuse.options', spec.fuse?.options],
  ] as const;
  const all = parts.flatMap(([path, options = {}]) =>
    Object.entries(options).map(([name, value]) => ({ field: keyPath(path, name), name, value })),
  );
  return [...new Map(all.map((each) => [each.name, each])).values()];
}
