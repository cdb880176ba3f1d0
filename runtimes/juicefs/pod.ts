import type { ContainerPort } from '../../src/api/index.ts';
import {
  anyAddress,
  type BasePlan,
  claimTemplates,
  imageTable,
  isOnHost,
  joinedOptions,
  must,
  type Options,
  type PlanInput,
  podBase,
  userVolumes,
  volumesOf,
  withMemory,
} from '../../src/constructs/index.ts';
import { type Cache, cacheVolumes } from './cache.ts';
import { forMount } from './options.ts';
import type { Source } from './source.ts';
import type { JuiceFSRuntimeSpec } from './spec.ts';

export const roles = ['worker', 'fuse'] as const;
export type PodRole = (typeof roles)[number];

/** Defaults of Fluid's chart; the images compiled into Fluid are years older. */
const table = imageTable({
  community: ['JUICEFS_CE_IMAGE_ENV', 'juicedata/mount:ce-v1.3.0'],
  enterprise: ['JUICEFS_EE_IMAGE_ENV', 'juicedata/mount:ee-5.2.10-eb0a8b3'],
});
export const images = table.images;

type Input = PlanInput<JuiceFSRuntimeSpec>;

/** Both roles run the same client; a worker does so for its cache. */
export function podPlan(input: Input, base: BasePlan, source: Source, cache: Cache, role: PodRole) {
  const { spec, settings } = input;
  const own = spec[role] ?? {};
  const field = `spec.${role}`;
  const version = role === 'worker' ? spec.juicefsVersion : spec.fuse;
  const options = optionsOf(input, base, source, cache, role);
  const templates = role === 'worker' ? claimTemplates(spec.volumeClaimTemplates, own.volumeMounts, spec.volumes) : [];
  const claimed = templates.map(({ metadata }) => ({ name: metadata?.name ?? '' }));
  const isClaimed = new Set(claimed.map(({ name }) => name));
  const mounted = userVolumes(own.volumeMounts, [...(spec.volumes ?? []), ...claimed], `${field}.volumeMounts`);
  const caches = cacheVolumes(cache, options['cache-dir'] ?? '', own.volumeMounts, `${field}.options.cache-dir`);
  const { volumes, volumeMounts } = volumesOf(mounted, caches);
  // No client reads the cache of a community worker, so the worker requests no memory for it.
  const hasMemory = (role === 'fuse' || source.edition === 'enterprise') && !own.options?.['cache-size'];
  return {
    container: {
      ...table.of(source.edition, settings, version),
      env: [{ name: 'JFS_FOREGROUND', value: '1' }, ...(own.env ?? []), ...source.env],
      ports: source.edition === 'community' ? [metricsPort(options['metrics'], `${field}.options.metrics`)] : [],
      resources: withMemory(own.resources, hasMemory ? cache.memory : undefined, `${field}.resources`),
      volumeMounts,
    },
    pod: {
      ...podBase(spec, own),
      volumes: volumes.filter(({ name }) => !isClaimed.has(name)),
      volumeClaimTemplates: templates,
    },
    caches: caches.map(({ volume }) => volume.name),
    /** As the client's `-o` takes them. */
    options: joinedOptions(options),
    /** Directories of the node that hold cache. */
    nodeCaches: caches.flatMap(({ volume }) => volume.hostPath?.path ?? []),
  };
}
export type PodPlan = ReturnType<typeof podPlan>;

/** The runtime wins over the tier of the cache, that over what the dataset says to its readers, that over defaults. */
function optionsOf(
  { name, namespace, spec, facts, settings }: Input,
  base: BasePlan,
  source: Source,
  cache: Cache,
  role: PodRole,
): Options {
  const isReader = role === 'fuse';
  const { bucket2: _, ...chosen }: Options = {
    ...(isReader && source.options),
    ...(source.subPath && { subdir: source.subPath }),
    ...cache.options,
    ...(source.edition === 'community' ? forMount(spec[role]?.options) : spec[role]?.options),
  };
  const readOnly = isReader && (base.readOnly || source.readOnly);
  if (source.edition === 'community')
    return {
      metrics: `${anyAddress(settings)}:${(isOnHost(spec[role]) && facts.ports[role]) || 9567}`,
      ...(readOnly && { 'attr-cache': '7200', 'entry-cache': '7200' }),
      ...chosen,
      ...(readOnly && { ro: '' }),
    };
  const { 'no-sharing': alone = '', ...shared }: Options = chosen;
  return {
    ...(readOnly && { attrcacheto: '7200', entrycacheto: '7200' }),
    // Workers and readers form one group, in which only workers give others what they have cached.
    'cache-group': `${namespace}-${name}`,
    ...shared,
    ...(isReader && { 'no-sharing': alone }),
    ...(readOnly && { ro: '' }),
    foreground: '',
    'no-update': '',
  };
}

function metricsPort(address: string | undefined, path: string): ContainerPort {
  const containerPort = Number(/:(\d+)$/.exec(address ?? '')?.[1]);
  must(containerPort > 0 && containerPort < 2 ** 16, path, '<host>:<port>', address);
  return { name: 'metrics', protocol: 'TCP', containerPort };
}
