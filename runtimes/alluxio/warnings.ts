import { type DatasetSpec, shown } from '../../src/api/index.ts';
import { ignored, type Warning } from '../../src/constructs/index.ts';
import type { AlluxioRuntimeSpec } from './spec.ts';

/** Of what runs beside a master or a worker; the rest of the pod is what `master` and `worker` say. */
const READ_BESIDE = ['env', 'jvmOptions', 'ports', 'properties', 'resources'];

/** What Fluid passes over in silence, too. Not `high` and `low` of a level, which every example of Fluid's has. */
export const specWarnings = (spec: AlluxioRuntimeSpec, { mounts = [] }: DatasetSpec): readonly Warning[] => [
  ...(spec.replicas === undefined ? [ignored('spec.replicas', 'says nothing, so there is no worker')] : []),
  ...evenMasters(spec.master?.replicas ?? 1),
  ...(spec.worker?.replicas === undefined ? [] : [ignored('spec.worker.replicas', 'has no effect; spec.replicas says how many workers')]),
  ...(spec.data?.pin === undefined ? [] : [ignored('spec.data.pin', 'has no effect')]),
  ...(spec.initUsers === undefined ? [] : [ignored('spec.initUsers', 'has no effect')]),
  ...(['jobMaster', 'jobWorker', 'apiGateway'] as const).flatMap((part) =>
    Object.keys(spec[part] ?? {})
      .filter((field) => !READ_BESIDE.includes(field) && !(part === 'apiGateway' && field === 'enabled'))
      .map((field) =>
        ignored(`spec.${part}.${field}`, `has no effect; its pod is that of spec.${part === 'jobWorker' ? 'worker' : 'master'}`),
      ),
  ),
  ...mounts.flatMap(({ path = '', name = '' }, i) =>
    ['', name].includes(path) || path.startsWith('/')
      ? []
      : [ignored(`Dataset: spec.mounts[${i}].path`, `expected an absolute path, found ${shown(path)}; mounted at ${shown(`/${name}`)}`)],
  ),
];

/** More than half of the masters must be up. */
const evenMasters = (count: number): readonly Warning[] =>
  count % 2 === 1
    ? []
    : [ignored('spec.master.replicas', `expected an odd number; ${count} masters survive no more losses than ${count - 1}`)];
