import { type DatasetSpec, type Mount, shown, type TierLevel } from '../../src/api/index.ts';
import { ignored, notKept, type Warning } from '../../src/constructs/index.ts';
import { portKeys } from './ports.ts';
import type { AlluxioRuntimeSpec } from './spec.ts';

type Spec = AlluxioRuntimeSpec;

/** Fields read of the programs beside a master or a worker; `master` and `worker` define the rest of the pod. */
const READ_BESIDE = ['env', 'jvmOptions', 'ports', 'properties', 'resources'];

/** Fields that Fluid ignores too, without a warning. */
export const specWarnings = (spec: Spec, dataset: DatasetSpec, readOnly: boolean): readonly Warning[] => [
  ...replicasWarnings(spec),
  ...(spec.data?.pin === undefined ? [] : [ignored('spec.data.pin', 'has no effect')]),
  ...(spec.initUsers && !spec.runAs?.uid
    ? [ignored('spec.initUsers', 'has no effect while spec.runAs names no user other than root')]
    : []),
  ...(spec.tieredstore?.levels ?? []).flatMap((level, i) => levelWarnings(level, `spec.tieredstore.levels[${i}]`)),
  ...(['jobMaster', 'jobWorker', 'apiGateway'] as const).flatMap((part) =>
    Object.keys(spec[part] ?? {})
      .filter((field) => !READ_BESIDE.includes(field) && !(part === 'apiGateway' && field === 'enabled'))
      .map((field) =>
        ignored(`spec.${part}.${field}`, `has no effect; its pod is that of spec.${part === 'jobWorker' ? 'worker' : 'master'}`),
      ),
  ),
  ...(['master', 'worker'] as const).flatMap((part) =>
    spec[part]?.enabled === false ? [ignored(`spec.${part}.enabled`, 'has no effect; no Alluxio is without it')] : [],
  ),
  ...(['master', 'jobMaster', 'worker', 'jobWorker', 'apiGateway'] as const).flatMap((part) => {
    const known = portKeys(spec, part);
    return Object.keys(spec[part]?.ports ?? {})
      .filter((key) => !known.includes(key))
      .map((key) => ignored(`spec.${part}.ports.${key}`, `has no effect; the ports are ${known.join(', ')}`));
  }),
  ...datasetWarnings(dataset),
  ...(readOnly ? [] : besideMounts(dataset)),
];

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
  return [
    ...(replicas === undefined ? [ignored('spec.replicas', 'says nothing, so there is no worker')] : []),
    // More than half of the masters must be up.
    ...(masters % 2 === 0
      ? [ignored('spec.master.replicas', `expected an odd number; ${masters} masters survive no more losses than ${masters - 1}`)]
      : []),
    ...(worker?.replicas === undefined ? [] : [ignored('spec.worker.replicas', 'has no effect; spec.replicas says how many workers')]),
  ];
}

/** Alluxio 2 has properties of the name of a watermark, and reads them only to imitate an evictor of version 1. */
function levelWarnings({ high, low, volumeType, volumeSource = {} }: TierLevel, field: string): readonly Warning[] {
  const known = volumeType === 'emptyDir' ? ['emptyDir'] : [];
  return [
    ...Object.entries({ high, low }).flatMap(([name, ratio]) =>
      ratio === undefined ? [] : [ignored(`${field}.${name}`, 'has no effect; Alluxio evicts when it needs the space')],
    ),
    ...Object.keys(volumeSource)
      .filter((source) => !known.includes(source))
      .map((source) => ignored(`${field}.volumeSource.${source}`, 'has no effect; read is emptyDir, if volumeType is emptyDir')),
  ];
}

function datasetWarnings({ mounts = [], sharedOptions = {}, sharedEncryptOptions = [], runtimes, dataRestoreLocation }: DatasetSpec) {
  const { path: backup = '', nodeName } = dataRestoreLocation ?? {};
  const isShared = Object.keys(sharedOptions).length + sharedEncryptOptions.length > 0;
  return [
    ...mounts.flatMap((mount, i) => mountWarnings(mount, `Dataset: spec.mounts[${i}]`)),
    ...(isShared && mounts.length > 0 && mounts.every(isOfPods) ? [ignored('Dataset: spec.sharedOptions', NO_OPTIONS)] : []),
    ...(runtimes?.length ? [ignored('Dataset: spec.runtimes', 'has no effect; a runtime serves the Dataset of its own name')] : []),
    ...(backup.startsWith('pvc://') && nodeName
      ? [ignored('Dataset: spec.dataRestoreLocation.nodeName', 'has no effect; the claim says on which nodes it is')]
      : []),
  ];
}

const NO_OPTIONS = 'has no effect; pods mount local:// and pvc:// without options';

const isOfPods = ({ mountPoint }: Mount): boolean => /^(local|pvc):\/\//.test(mountPoint);

function mountWarnings(mount: Mount, field: string): readonly Warning[] {
  const { path = '', name = '', shared, options = {}, encryptOptions = [] } = mount;
  const set = { shared: shared === true, options: Object.keys(options).length > 0, encryptOptions: encryptOptions.length > 0 };
  return [
    ...(['', name].includes(path) || path.startsWith('/')
      ? []
      : [ignored(`${field}.path`, `expected an absolute path, found ${shown(path)}; mounted at ${shown(`/${name}`)}`)]),
    ...Object.entries(set).flatMap(([key, isSet]) => (isSet && isOfPods(mount) ? [ignored(`${field}.${key}`, NO_OPTIONS)] : [])),
  ];
}
