import type { DatasetSpec, Mount, TierLevel } from '../../src/api/index.ts';
import { ignored, notKept, relativePath, unread, unreadSources, type Warning, warningsOf } from '../../src/constructs/index.ts';
import { portKeys } from './ports.ts';
import type { AlluxioRuntimeSpec } from './spec.ts';

type Spec = AlluxioRuntimeSpec;

/** Fields read of the programs beside a master or a worker; `master` and `worker` define the rest of the pod. */
const READ_BESIDE = ['env', 'jvmOptions', 'ports', 'properties', 'resources'];

/** Fields that Fluid ignores too, without a warning. */
export const specWarnings = (spec: Spec, dataset: DatasetSpec, readOnly: boolean): readonly Warning[] =>
  warningsOf(
    replicasWarnings(spec),
    spec.data?.pin !== undefined && ignored('spec.data.pin', 'has no effect'),
    spec.initUsers && !spec.runAs?.uid && ignored('spec.initUsers', 'has no effect while spec.runAs names no user other than root'),
    (spec.tieredstore?.levels ?? []).flatMap((level, i) => levelWarnings(level, `spec.tieredstore.levels[${i}]`)),
    (['jobMaster', 'jobWorker', 'apiGateway'] as const).flatMap((part) =>
      Object.keys(spec[part] ?? {})
        .filter((field) => !READ_BESIDE.includes(field) && field !== 'enabled')
        .map((field) =>
          ignored(`spec.${part}.${field}`, `has no effect; its pod is that of spec.${part === 'jobWorker' ? 'worker' : 'master'}`),
        ),
    ),
    (['master', 'worker', 'jobMaster', 'jobWorker'] as const)
      .filter((part) => spec[part]?.enabled === false)
      .map((part) => ({ reason: 'SpecAmbiguous', message: `spec.${part}.enabled: has no effect; no Alluxio is without it` })),
    (['master', 'jobMaster', 'worker', 'jobWorker', 'apiGateway'] as const).flatMap((part) => {
      const known = portKeys(spec, part);
      return Object.keys(spec[part]?.ports ?? {})
        .filter((key) => !known.includes(key))
        .map((key) => ignored(`spec.${part}.ports.${key}`, `has no effect; the ports are ${known.join(', ')}`));
    }),
    datasetWarnings(dataset),
    readOnly ? [] : besideMounts(dataset),
  );

/** The root of Alluxio is a directory of its containers, unless a mount is there. */
const besideMounts = ({ mounts = [] }: DatasetSpec): readonly Warning[] =>
  mounts.some(({ path }) => path === '/')
    ? []
    : [
        notKept(
          'Dataset: spec.accessModes',
          'pods may write, and no mount is at /: what they write beside the mounts lies in containers of Alluxio, and is lost with them',
        ),
      ];

function replicasWarnings({ replicas, master, worker }: Spec): readonly Warning[] {
  const masters = master?.replicas ?? 1;
  return warningsOf(
    replicas === undefined && ignored('spec.replicas', 'says nothing, so there is no worker'),
    // More than half of the masters must be up.
    masters % 2 === 0 &&
      ignored('spec.master.replicas', `expected an odd number; ${masters} masters survive no more losses than ${masters - 1}`),
    unread(worker, 'spec.worker', { replicas: 'has no effect; spec.replicas says how many workers' }),
  );
}

/** Alluxio 2 has properties of the name of a watermark, and reads them only to imitate an evictor of version 1. */
const levelWarnings = (level: TierLevel, field: string): readonly Warning[] => [
  ...(['high', 'low'] as const)
    .filter((name) => level[name] !== undefined)
    .map((name) => ignored(`${field}.${name}`, 'has no effect; Alluxio evicts when it needs the space')),
  ...unreadSources(level, field),
];

function datasetWarnings(dataset: DatasetSpec): readonly Warning[] {
  const { mounts = [], sharedOptions = {}, sharedEncryptOptions = [] } = dataset;
  const { path: backup = '', nodeName } = dataset.dataRestoreLocation ?? {};
  const isShared = Object.keys(sharedOptions).length + sharedEncryptOptions.length > 0;
  return warningsOf(
    mounts.flatMap((mount, i) => mountWarnings(mount, `Dataset: spec.mounts[${i}]`)),
    isShared && mounts.length > 0 && mounts.every(isOfPods) && ignored('Dataset: spec.sharedOptions', NO_OPTIONS),
    unread(dataset, 'Dataset: spec', { runtimes: 'has no effect; a runtime serves the Dataset of its own name' }),
    backup.startsWith('pvc://') &&
      nodeName &&
      ignored('Dataset: spec.dataRestoreLocation.nodeName', 'has no effect; the claim says on which nodes it is'),
  );
}

const NO_OPTIONS = 'has no effect; pods mount local:// and pvc:// without options';

const isOfPods = ({ mountPoint }: Mount): boolean => /^(local|pvc):\/\//.test(mountPoint);

const mountWarnings = (mount: Mount, field: string): readonly Warning[] => [
  ...relativePath(mount, field),
  ...(isOfPods(mount) ? unread(mount, field, { shared: NO_OPTIONS, options: NO_OPTIONS, encryptOptions: NO_OPTIONS }) : []),
];
