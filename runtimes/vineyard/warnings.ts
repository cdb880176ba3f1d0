import type { DatasetSpec } from '../../src/api/index.ts';
import { ignored, isOnHost, unread, type Warning, warningsOf } from '../../src/constructs/index.ts';
import { ownMasters } from './etcd.ts';
import { indexOf, isLess, levelsOf, memoryOf } from './levels.ts';
import { keepsData } from './master-pod.ts';
import { workerOptionNames } from './options.ts';
import type { Input } from './pod.ts';
import { portNamesOf } from './ports.ts';
import type { VineyardRuntimeSpec } from './spec.ts';
import { raisedTo } from './worker-pod.ts';

type Spec = VineyardRuntimeSpec;

/** Fields without effect; Fluid ignores most of them too, without a warning. */
export const specWarnings = (input: Input): readonly Warning[] =>
  warningsOf(
    masterWarnings(input),
    workerWarnings(input),
    portWarnings(input),
    levelWarnings(input.spec),
    input.spec.disablePrometheus === false && {
      reason: 'SpecAmbiguous',
      message: 'spec.disablePrometheus: has no effect; as in Fluid there are no metrics of Vineyard',
    },
    datasetWarnings(input.dataset.spec),
  );

function masterWarnings(input: Input): readonly Warning[] {
  const { endpoint, options: _, ...master } = input.spec.master ?? {};
  const own = ownMasters(input);
  return warningsOf(
    unread(input.spec.master, 'spec.master', {
      options: 'has no effect; write options of workers into spec.worker.options, those of etcd into spec.master.env',
    }),
    unread(endpoint, 'spec.master.endpoint', {
      encryptOptions: 'has no effect; Vineyard has no credentials for etcd',
      options: 'has no effect; Vineyard reads no options of etcd',
    }),
    endpoint?.uri &&
      own > 0 &&
      ignored(
        'spec.master.endpoint.uri',
        `the runtime was set up with ${own === 1 ? 'an etcd' : `${own} members of etcd`} of its own, which keeps its objects; delete the VineyardRuntime and create it again`,
      ),
    own > 1 &&
      !keepsData(input.spec) &&
      ignored(
        'spec.master.replicas',
        'a member of etcd whose pod is deleted has lost its data and cannot return; give all members a volume at /etcd-data by spec.master.volumeMounts',
      ),
    own === 0
      ? Object.keys(master).map((name) => ignored(`spec.master.${name}`, 'has no effect; spec.master.endpoint.uri is in place of masters'))
      : [],
  );
}

function workerWarnings({ spec, namespace, name }: Input): readonly Warning[] {
  const { options = {}, resources } = spec.worker ?? {};
  const needed = memoryOf(levelsOf({ spec, namespace, name }));
  const requested = String(raisedTo(needed, resources).requests?.['memory']);
  return warningsOf(
    spec.replicas === undefined && ignored('spec.replicas', 'says nothing, so there is no worker'),
    unread(spec.worker, 'spec.worker', { replicas: 'has no effect; spec.replicas says how many workers' }),
    Object.keys(options)
      .filter((option) => !workerOptionNames.includes(option))
      .map((option) => ignored(`spec.worker.options[${option}]`, `has no effect; read are ${workerOptionNames.join(', ')}`)),
    (['requests', 'limits'] as const).flatMap((kind) => {
      const [said, least] = [resources?.[kind]?.['memory'], kind === 'limits' ? requested : needed];
      const at = `spec.worker.resources.${kind}.memory`;
      if (said === undefined || !isLess(said, least, at)) return [];
      return [ignored(at, `raised to ${least}, which ${least === needed ? 'the level of memory needs' : 'is requested'}`)];
    }),
  );
}

const portWarnings = ({ spec, facts }: Input): readonly Warning[] =>
  (ownMasters({ spec, facts }) > 0 ? (['master', 'worker'] as const) : (['worker'] as const)).flatMap((role) =>
    Object.keys(spec[role]?.ports ?? {}).flatMap((name) => {
      const at = `spec.${role}.ports.${name}`;
      if (name === 'exporter') return [ignored(at, 'has no effect; as in Fluid there are no metrics of Vineyard')];
      const known: readonly string[] = portNamesOf(role);
      if (!known.includes(name)) return [ignored(at, `has no effect; read are ${known.join(', ')}`)];
      const why = `has no effect on the network of the node, where the controller allocates ports; spec.${role}.networkMode says which`;
      return isOnHost(spec[role]) ? [ignored(at, why)] : [];
    }),
  );

function levelWarnings({ tieredstore }: Spec): readonly Warning[] {
  const levels = tieredstore?.levels ?? [];
  const [memory, spill] = [indexOf(levels, true), indexOf(levels, false)];
  return levels.flatMap((level, i) => {
    const at = `spec.tieredstore.levels[${i}]`;
    const source = Object.keys(level.volumeSource ?? {}).map((name) => `volumeSource.${name}`);
    const field = (name: string, why: string) => ignored(`${at}.${name}`, `has no effect; ${why}`);
    if (i === memory)
      return [
        ...['path', ...source, ...(level.volumeType === 'emptyDir' ? ['volumeType'] : [])]
          .filter((name) => name !== 'path' || level.path !== undefined)
          .map((name) => field(name, 'objects are in memory alone')),
        ...(['high', 'low'] as const)
          .filter((name) => spill < 0 && level[name] !== undefined)
          .map((name) => field(name, 'without a level of disks nothing is written when memory is full')),
      ];
    if (i === spill)
      return level.volumeType === 'emptyDir'
        ? source.filter((name) => name !== 'volumeSource.emptyDir').map((name) => field(name, 'read is emptyDir'))
        : source.map((name) => field(name, 'read is emptyDir, if volumeType is emptyDir'));
    return [ignored(at, 'has no effect; Vineyard has one level of memory, and one directory for what does not fit')];
  });
}

const datasetWarnings = (dataset: DatasetSpec): readonly Warning[] => [
  ...(dataset.mounts ?? []).map((_, i) =>
    ignored(`Dataset: spec.mounts[${i}]`, 'has no effect; applications put the objects of a Vineyard into it'),
  ),
  ...unread(dataset, 'Dataset: spec', {
    sharedOptions: 'has no effect; nothing is mounted',
    sharedEncryptOptions: 'has no effect; nothing is mounted',
    runtimes: 'has no effect; a runtime serves the Dataset of its own name',
    owner: 'has no effect; objects have no owner',
    dataRestoreLocation: 'has no effect; Vineyard has no backups',
  }),
];
