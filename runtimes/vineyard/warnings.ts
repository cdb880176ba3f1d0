import type { DatasetSpec } from '../../src/api/index.ts';
import { ignored, isOnHost, type Warning } from '../../src/constructs/index.ts';
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
export const specWarnings = (input: Input): readonly Warning[] => [
  ...masterWarnings(input),
  ...workerWarnings(input),
  ...portWarnings(input),
  ...levelWarnings(input.spec),
  ...(input.spec.disablePrometheus === false
    ? [ignored('spec.disablePrometheus', 'has no effect; as in Fluid there are no metrics of Vineyard')]
    : []),
  ...datasetWarnings(input.dataset.spec),
];

function masterWarnings(input: Input): readonly Warning[] {
  const { endpoint, options = {}, ...master } = input.spec.master ?? {};
  const { uri, encryptOptions = [], options: ofEtcd = {} } = endpoint ?? {};
  const own = ownMasters(input);
  return [
    ...(Object.keys(options).length > 0
      ? [
          ignored(
            'spec.master.options',
            'has no effect; write options of workers into spec.worker.options, those of etcd into spec.master.env',
          ),
        ]
      : []),
    ...(encryptOptions.length > 0
      ? [ignored('spec.master.endpoint.encryptOptions', 'has no effect; Vineyard has no credentials for etcd')]
      : []),
    ...(Object.keys(ofEtcd).length > 0
      ? [ignored('spec.master.endpoint.options', 'has no effect; Vineyard reads no options of etcd')]
      : []),
    ...(uri && own > 0
      ? [
          ignored(
            'spec.master.endpoint.uri',
            `the runtime was set up with ${own === 1 ? 'an etcd' : `${own} members of etcd`} of its own, which keeps its objects; delete the VineyardRuntime and create it again`,
          ),
        ]
      : []),
    ...(own > 1 && !keepsData(input.spec)
      ? [
          ignored(
            'spec.master.replicas',
            'a member of etcd whose pod is deleted has lost its data and cannot return; give all members a volume at /etcd-data by spec.master.volumeMounts',
          ),
        ]
      : []),
    ...(own === 0
      ? Object.keys(master).map((name) => ignored(`spec.master.${name}`, 'has no effect; spec.master.endpoint.uri is in place of masters'))
      : []),
  ];
}

function workerWarnings({ spec, namespace, name }: Input): readonly Warning[] {
  const { replicas, options = {}, resources } = spec.worker ?? {};
  const needed = memoryOf(levelsOf({ spec, namespace, name }));
  const requested = String(raisedTo(needed, resources).requests?.['memory']);
  return [
    ...(spec.replicas === undefined ? [ignored('spec.replicas', 'says nothing, so there is no worker')] : []),
    ...(replicas === undefined ? [] : [ignored('spec.worker.replicas', 'has no effect; spec.replicas says how many workers')]),
    ...Object.keys(options)
      .filter((option) => !workerOptionNames.includes(option))
      .map((option) => ignored(`spec.worker.options[${option}]`, `has no effect; read are ${workerOptionNames.join(', ')}`)),
    ...(['requests', 'limits'] as const).flatMap((kind) => {
      const [said, least] = [resources?.[kind]?.['memory'], kind === 'limits' ? requested : needed];
      const at = `spec.worker.resources.${kind}.memory`;
      return said !== undefined && isLess(said, least, at)
        ? [ignored(at, `raised to ${least}, which ${least === needed ? 'the level of memory needs' : 'is requested'}`)]
        : [];
    }),
  ];
}

const portWarnings = ({ spec, facts }: Input): readonly Warning[] =>
  (ownMasters({ spec, facts }) > 0 ? (['master', 'worker'] as const) : (['worker'] as const)).flatMap((role) =>
    Object.keys(spec[role]?.ports ?? {}).flatMap((name) => {
      const at = `spec.${role}.ports.${name}`;
      if (name === 'exporter') return [ignored(at, 'has no effect; as in Fluid there are no metrics of Vineyard')];
      const known: readonly string[] = portNamesOf(role);
      if (!known.includes(name)) return [ignored(at, `has no effect; read are ${known.join(', ')}`)];
      return isOnHost(spec[role])
        ? [
            ignored(
              at,
              `has no effect on the network of the node, where the controller allocates ports; spec.${role}.networkMode says which`,
            ),
          ]
        : [];
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
        ...(level.path === undefined ? [] : [field('path', 'objects are in memory alone')]),
        ...source.map((name) => field(name, 'objects are in memory alone')),
        ...(level.volumeType === 'emptyDir' ? [field('volumeType', 'objects are in memory alone')] : []),
        ...(spill < 0
          ? (['high', 'low'] as const)
              .filter((name) => level[name] !== undefined)
              .map((name) => field(name, 'without a level of disks nothing is written when memory is full'))
          : []),
      ];
    if (i === spill)
      return level.volumeType === 'emptyDir'
        ? source.filter((name) => name !== 'volumeSource.emptyDir').map((name) => field(name, 'read is emptyDir'))
        : source.map((name) => field(name, 'read is emptyDir, if volumeType is emptyDir'));
    return [ignored(at, 'has no effect; Vineyard has one level of memory, and one directory for what does not fit')];
  });
}

function datasetWarnings(dataset: DatasetSpec): readonly Warning[] {
  const { mounts = [], sharedOptions = {}, sharedEncryptOptions = [], runtimes, owner, dataRestoreLocation } = dataset;
  return [
    ...mounts.map((_, i) => ignored(`Dataset: spec.mounts[${i}]`, 'has no effect; applications put the objects of a Vineyard into it')),
    ...(Object.keys(sharedOptions).length > 0 ? [ignored('Dataset: spec.sharedOptions', 'has no effect; nothing is mounted')] : []),
    ...(sharedEncryptOptions.length > 0 ? [ignored('Dataset: spec.sharedEncryptOptions', 'has no effect; nothing is mounted')] : []),
    ...(runtimes?.length ? [ignored('Dataset: spec.runtimes', 'has no effect; a runtime serves the Dataset of its own name')] : []),
    ...(owner ? [ignored('Dataset: spec.owner', 'has no effect; objects have no owner')] : []),
    ...(dataRestoreLocation ? [ignored('Dataset: spec.dataRestoreLocation', 'has no effect; Vineyard has no backups')] : []),
  ];
}
