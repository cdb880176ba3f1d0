import type { DatasetSpec, EnvVar, ResourceRequirements, TierLevel, Volume } from '../../../../api/index.ts';
import {
  absolutePath,
  type BasePlan,
  basePlan,
  cacheByMedium,
  directoriesOf,
  imageOf,
  must,
  type Needs,
  optionList,
  optionNeeds,
  type PlanInput,
  positional,
  secretEnv,
  secretVariables,
  together,
} from '../../../../constructs/index.ts';
import type { NewFsRuntimeSpec } from './spec.ts';

export interface NewFsPlan extends BasePlan {
  readonly image: string;
  readonly source: string;
  /** Options in the form of `-o`. */
  readonly options: string;
  /** Options that are secret: of Secrets, which only Kubernetes reads. */
  readonly env: readonly EnvVar[];
  readonly cache: readonly Directory[];
  readonly resources: ResourceRequirements | undefined;
}

/** A directory of the cache: a disk of the node, or memory. */
export interface Directory {
  readonly path: string;
  readonly volume: Volume;
}

type Input = PlanInput<NewFsRuntimeSpec>;

/** Set-up waits until these Secrets exist. */
export const needs = ({ dataset }: Input): Needs => ({ secrets: optionNeeds(dataset.spec) });

/** Every decision, and none of the YAML. */
export function plan(input: Input): NewFsPlan {
  const { name, namespace, spec, dataset } = input;
  // Faults of the Dataset are reported by themselves, all of them at once.
  const { source, env, shared } = together(
    {
      source: () => sourceOf(dataset.spec),
      env: () => secretEnv(secretVariables(dataset.spec, new Map()).values()),
      shared: () => optionsOf(dataset.spec),
    },
    `Dataset ${namespace}/${name}`,
  );
  const base = basePlan(input, { mountType: 'fuse.new-fs', mountDir: 'new-fs-fuse' });
  const levels = spec.tieredstore?.levels ?? [];
  return {
    ...base,
    replicas: { worker: spec.replicas ?? 1 },
    cacheOnNode: cacheByMedium(levels),
    image: imageOf(spec.version, undefined, 'example.io/new-fs:v1'),
    source,
    env,
    // The runtime's own options win over those of the dataset, which are for every runtime.
    options: optionList({ ...shared, ...spec.options }, 'spec.options'),
    cache: levels.length > 0 ? levels.flatMap(directoriesOfLevel) : [directory('/var/cache/new-fs', 0, {}, 'spec.tieredstore')],
    resources: spec.resources,
  };
}

function sourceOf({ mounts = [] }: DatasetSpec): string {
  const [mount, ...others] = mounts;
  must(mount && others.length === 0, 'spec.mounts', 'exactly one mount', mounts);
  return positional(mount.mountPoint, 'spec.mounts[0].mountPoint');
}

function optionsOf({ mounts: [mount] = [], sharedOptions }: DatasetSpec) {
  const options = { ...sharedOptions, ...mount?.options };
  optionList(options, 'spec.mounts[0].options');
  return options;
}

/** A level may be several directories, `/a,/b`. */
function directoriesOfLevel(level: TierLevel, i: number): readonly Directory[] {
  const field = `spec.tieredstore.levels[${i}].path`;
  return directoriesOf(level.path ?? '/var/cache/new-fs', ',', field).map((path, j) => directory(path, i * 100 + j, level, field));
}

function directory(path: string, i: number, { mediumtype, volumeType, volumeSource }: Partial<TierLevel>, field: string): Directory {
  const name = `cache-${i}`;
  const emptyDir = volumeType === 'emptyDir' ? (volumeSource?.emptyDir ?? {}) : mediumtype === 'MEM' ? { medium: 'Memory' } : undefined;
  const volume = emptyDir ? { name, emptyDir } : { name, hostPath: { path, type: 'DirectoryOrCreate' } };
  return { path: absolutePath(path, field), volume };
}
