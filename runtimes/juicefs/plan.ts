import { shown } from '../../src/api/index.ts';
import {
  type Arg,
  type BasePlan,
  basePlan,
  cleaningOf,
  type Needs,
  isOnHost,
  nextGeneration,
  notKept,
  type Options,
  optionNeeds,
  type PlanInput,
  separatorsIn,
  together,
  type Warning,
} from '../../src/constructs/index.ts';
import { cacheOf } from './cache.ts';
import { type PodPlan, podPlan, type PodRole, roles } from './pod.ts';
import { type Script, scriptOf } from './script.ts';
import { settingsIn, unknownIn } from './options.ts';
import { editionOf, type Source, sourceOf } from './source.ts';
import type { JuiceFSRuntimeSpec } from './spec.ts';

export interface JuiceFSPlan extends BasePlan {
  readonly source: Source;
  /** Arguments of `juicefs format` or `juicefs auth`, those of `spec.configs` first; undefined without credentials. */
  readonly login?: readonly Arg[];
  readonly pods: Readonly<Record<PodRole, PodPlan>>;
  readonly scripts: Readonly<Record<PodRole, Script>>;
  /** Cache of one worker in bytes; 0 if the spec sets no size. */
  readonly cacheBytes: number;
  readonly syncsMetadata: boolean;
}

type Input = PlanInput<JuiceFSRuntimeSpec>;

const DEPRECATED = {
  reason: 'RuntimeDeprecated',
  message: 'cache-size & cache-dir in worker.options will be deprecated in the future, please use tieredStore.levels instead',
};

const NO_TOKEN = {
  reason: 'TokenMissing',
  message:
    'Dataset: neither a secret option metaurl (community edition) nor token (enterprise): no client logs in, unless the image or a volume has /root/.juicefs',
};
/** A client whose configuration is mounted needs no token. */
const canLogIn = ({ fuse }: JuiceFSRuntimeSpec, { login }: Source): boolean =>
  login !== undefined || (fuse?.volumeMounts ?? []).some(({ mountPath }) => mountPath.startsWith('/root'));

const clientWarnings = (options: Options | undefined, path: string): readonly Warning[] => [
  ...settingsIn(options, path),
  ...unknownIn(options, path),
];

/** A volume of JuiceFS without a store keeps its data in a directory, where all of its pods must mount one and the same volume. */
function directoryWarnings(spec: JuiceFSRuntimeSpec, directory: string | undefined): readonly Warning[] {
  const isKept = (role: PodRole) =>
    spec[role]?.volumeMounts?.some(({ mountPath }) => `${directory}/`.startsWith(`${mountPath.replace(/\/$/, '')}/`)) === true;
  const lacking = roles.filter((role) => (role === 'fuse' || (spec.replicas ?? 0) > 0) && !isKept(role));
  return directory === undefined || lacking.length === 0
    ? []
    : [
        notKept(
          'Dataset: spec.mounts[0].options',
          `the data lies in ${shown(directory)} of each container, and is lost with it; mount one volume there by ${lacking.map((role) => `spec.${role}.volumeMounts`).join(' and ')}`,
        ),
      ];
}

export function needs({ spec, dataset, settings }: Input): Needs {
  const chosen = {
    worker: spec.worker?.options ?? {},
    fuse: { ...dataset.spec.sharedOptions, ...dataset.spec.mounts?.[0]?.options, ...spec.fuse?.options },
  };
  const hasMetrics = editionOf(dataset.spec) === 'community';
  return {
    secrets: optionNeeds({ ...dataset.spec, mounts: dataset.spec.mounts?.slice(0, 1) ?? [] }),
    ports: roles
      .filter((role) => hasMetrics && isOnHost(spec[role]) && !('metrics' in chosen[role]))
      .map((role) => ({ name: role, range: settings.portRanges['juicefs'] ?? [14000, 15999], in: role, portName: 'metrics' })),
  };
}

export function plan(input: Input): JuiceFSPlan {
  const { spec, dataset, facts } = input;
  const { base, source, cache } = together({
    base: () => basePlan(input, { mountType: 'JuiceFS', mountDir: 'juicefs-fuse', fuseNodeSelector: spec.fuse?.nodeSelector }),
    source: () => sourceOf(dataset),
    cache: () => cacheOf(spec.tieredstore?.levels),
  });
  const pods = together({
    worker: () => podPlan(input, base, source, cache, 'worker'),
    fuse: () => podPlan(input, base, source, cache, 'fuse'),
  });
  const { cleanCachePolicy, metadataSyncPolicy } = spec.management ?? {};
  const { 'cache-size': size, 'cache-dir': directory } = spec.worker?.options ?? {};
  const configs = (spec.configs ?? []).flatMap((config) => (config.trim() ? `--${config.trim()}` : []));
  const login = source.login && [...configs, ...source.login];
  const missing = (source.missing ?? []).filter((name) => !configs.some((config) => config.startsWith(`--${name}=`)));
  const scriptFor = (role: PodRole) => scriptOf(role, { source, login, missing, mountPath: base.mountPath, options: pods[role].options });
  const scripts = { worker: scriptFor('worker'), fuse: scriptFor('fuse') };
  const generation = nextGeneration(facts, pods.fuse.container.image, scripts.fuse.hash);
  return {
    ...base,
    source,
    ...(login && { login }),
    pods,
    scripts,
    replicas: { worker: spec.replicas ?? 0 },
    fuse: { ...base.fuse, generation },
    cacheBytes: size ? (Number(size) || 0) * 2 ** 20 : cache.bytes,
    cacheOnNode: cache.onNode,
    syncsMetadata: metadataSyncPolicy?.autoSync !== false,
    cleaning: cleaningOf(cleanCachePolicy, base.cleaning),
    warnings: [
      ...base.warnings,
      ...source.warnings.map((warning) => ({ ...warning, message: `Dataset: ${warning.message}` })),
      ...roles.flatMap((role) => separatorsIn(spec[role]?.options, `spec.${role}.options`)),
      ...(source.edition === 'community' ? roles.flatMap((role) => clientWarnings(spec[role]?.options, `spec.${role}.options`)) : []),
      ...cache.warnings,
      ...directoryWarnings(spec, source.directory),
      ...(canLogIn(spec, source) ? [] : [NO_TOKEN]),
      ...(size || directory ? [DEPRECATED] : []),
    ],
  };
}
