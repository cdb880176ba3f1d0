import type { DatasetSpec } from '../../src/api/index.ts';
import { directoriesOf, ignored, levelQuotas, separatorsIn, unread, type Warning, warningsOf } from '../../src/constructs/index.ts';
import { DECIDED } from './options.ts';
import { hasWorkers } from './ports.ts';
import type { EFCRuntimeSpec } from './spec.ts';
import { usedLevel } from './tier.ts';

/** Fields without effect; Fluid ignores them too, without a warning. */
export const specWarnings = (spec: EFCRuntimeSpec, dataset: DatasetSpec): readonly Warning[] =>
  warningsOf(
    componentWarnings(spec),
    propertyWarnings(spec),
    levelWarnings(spec),
    spec.osAdvise && ignored('spec.osAdvise', 'has no effect; nodes are not tuned'),
    spec.initFuse && ignored('spec.initFuse', 'has no effect; EFC_INIT_FUSE_IMAGE_ENV names the image that prepares a node'),
    datasetWarnings(dataset),
  );

const componentWarnings = (spec: EFCRuntimeSpec): readonly Warning[] =>
  warningsOf(
    spec.replicas === undefined && hasWorkers(spec) && ignored('spec.replicas', 'says nothing, so there is no worker'),
    unread(spec.worker, 'spec.worker', { replicas: 'has no effect; spec.replicas says how many workers' }),
    (['master', 'worker'] as const).flatMap((role) =>
      unread(spec[role], `spec.${role}`, { ports: 'has no effect; the controller allocates ports of the node' }),
    ),
  );

const propertyWarnings = (spec: EFCRuntimeSpec): readonly Warning[] => [
  ...(['master', 'worker', 'fuse'] as const).flatMap((role) => separatorsIn(spec[role]?.properties, `spec.${role}.properties`)),
  ...DECIDED.filter((name) => spec.worker?.properties?.[name] !== undefined).map((name) =>
    ignored(`spec.worker.properties[${name}]`, 'has no effect; the pod has another port and directory'),
  ),
];

const GI = 1024 ** 3;

function levelWarnings(spec: EFCRuntimeSpec): readonly Warning[] {
  const levels = spec.tieredstore?.levels ?? [];
  const used = usedLevel(spec);
  const others = levels.flatMap((_, i) =>
    i === used ? [] : [ignored(`spec.tieredstore.levels[${i}]`, 'has no effect; EFC has one level')],
  );
  const level = levels[used];
  if (!level) return others;
  const field = `spec.tieredstore.levels[${used}]`;
  const [bytes = 0] = levelQuotas(level, field);
  return warningsOf(
    others,
    (['high', 'low', 'volumeSource'] as const)
      .filter((name) => level[name] !== undefined)
      .map((name) => ignored(`${field}.${name}`, 'has no effect on EFC')),
    directoriesOf(level.path ?? '', ',', `${field}.path`).length > 1 &&
      ignored(`${field}.path`, 'EFC has one directory; the first is used, with its share of the quota'),
    bytes % GI !== 0 && ignored(`${field}.quota`, `EFC counts in whole GiB; ${Math.floor(bytes / GI)} GiB are used`),
  );
}

const OPTIONS = 'has no effect; write options of EFC into spec.fuse.properties';

function datasetWarnings(dataset: DatasetSpec): readonly Warning[] {
  const [first, ...others] = dataset.mounts ?? [];
  return [
    ...unread(first, 'Dataset: spec.mounts[0]', {
      ...(first?.path !== '/' && { path: 'has no effect; the data appears at /' }),
      options: OPTIONS,
      encryptOptions: OPTIONS,
      readOnly: 'has no effect; spec.accessModes says whether pods may write',
      shared: 'has no effect; EFC shows a mount to every user',
    }),
    ...others.map((_, i) => ignored(`Dataset: spec.mounts[${i + 1}]`, 'has no effect; EFC mounts the first')),
    ...unread(dataset, 'Dataset: spec', {
      sharedOptions: OPTIONS,
      sharedEncryptOptions: OPTIONS,
      runtimes: 'has no effect; a runtime serves the Dataset of its own name',
      owner: 'has no effect; the file system says who owns a file',
      dataRestoreLocation: 'has no effect; EFC has no backups',
    }),
  ];
}
