import { posix } from 'node:path';
import type { Construct } from 'constructs';
import { type Container, type DataProcessSpec, type PodSpec, shown } from '../api/index.ts';
import type { BasePlan, ContainerProps, Operation } from './contract.ts';
import { type ReasonedFault, refusal } from './faults.ts';
import { OperationJob } from './operation.ts';

const CLAIM_VOLUME = 'fluid-dataset-vol';
const SCRIPT = 'preprocess.sh';

/** Runs a script or a pod of the user with the Dataset mounted. The same for every runtime: it reads through the claim alone. */
export class ProcessJob extends OperationJob {
  constructor(scope: Construct, plan: BasePlan, process: Operation<'DataProcess'>) {
    const faults = processFaults(process.spec);
    if (faults.length > 0) throw refusal(faults);
    const { dataset, processor } = process.spec;
    const { job, script, serviceAccountName, podMetadata } = processor;
    const mounts = dataset.mountPath
      ? [{ name: CLAIM_VOLUME, mountPath: dataset.mountPath, ...(dataset.subPath && { subPath: dataset.subPath }) }]
      : [];
    const volumes = dataset.mountPath ? [{ name: CLAIM_VOLUME, persistentVolumeClaim: { claimName: plan.name } }] : [];
    const metadata = podMetadata ?? {};
    if (script) {
      const { source, image, imageTag, imagePullPolicy, restartPolicy, command, env, resources } = script;
      super(scope, plan, process, {
        template: { metadata },
        restartPolicy: restartPolicy ?? 'Never',
        serviceAccountName,
        containers: [
          {
            name: 'script-processor',
            image: imageTag ? `${image}:${imageTag}` : image,
            imagePullPolicy,
            command,
            args: [`/fluid-scripts/${SCRIPT}`],
            env,
            resources,
            volumeMounts: [...(script.volumeMounts ?? []), ...mounts],
          },
        ],
        scripts: { [SCRIPT]: source },
        volumes: [...(script.volumes ?? []), ...volumes],
      });
      return;
    }
    const { containers = [], initContainers = [], ...spec }: Partial<PodSpec> = job?.podSpec ?? {};
    const mounting = ({ name, terminationMessagePolicy }: Container): ContainerProps => ({
      name,
      terminationMessagePolicy,
      volumeMounts: mounts,
    });
    super(scope, plan, process, {
      template: { metadata, spec: { ...spec, containers, initContainers } },
      serviceAccountName: spec.serviceAccountName ?? spec.serviceAccount ?? serviceAccountName,
      // The cast: `processFaults` has found one at least.
      containers: containers.map(mounting) as [ContainerProps],
      initContainers: initContainers.map(mounting),
      volumes,
    });
  }
}

/** All that is wrong with a DataProcess. */
export function processFaults({ dataset, processor }: DataProcessSpec): readonly ReasonedFault[] {
  const { job, script } = processor;
  const field = 'spec.processor';
  if (!job && !script) return [{ reason: 'ProcessorNotSpecified', path: field, expected: 'a script or a job', found: 'neither' }];
  const faults: ReasonedFault[] = [];
  if (job && script) faults.push({ reason: 'MultipleProcessorSpecified', path: field, expected: 'a script or a job', found: 'both' });
  const clashes = (mounts: readonly { readonly mountPath: string }[] | undefined, path: string) =>
    mounts?.forEach(({ mountPath }, i) => {
      if (dataset.mountPath === '' || same(mountPath) !== same(dataset.mountPath)) return;
      const expected = 'another path than spec.dataset.mountPath';
      faults.push({ reason: 'ConflictMountPath', path: `${path}.volumeMounts[${i}].mountPath`, expected, found: shown(mountPath) });
    });
  if (script) {
    clashes(script.volumeMounts, `${field}.script`);
    if (!script.image) faults.push({ path: `${field}.script.image`, expected: 'an image', found: shown(script.image) });
  }
  if (job) {
    const { containers = [], initContainers = [], restartPolicy } = job.podSpec ?? {};
    const path = `${field}.job.podSpec`;
    containers.forEach(({ volumeMounts }, i) => clashes(volumeMounts, `${path}.containers[${i}]`));
    initContainers.forEach(({ volumeMounts }, i) => clashes(volumeMounts, `${path}.initContainers[${i}]`));
    if (containers.length === 0) faults.push({ path: `${path}.containers`, expected: 'a container', found: 'none' });
    if (restartPolicy && !JOB_POLICIES.has(restartPolicy))
      faults.push({ path: `${path}.restartPolicy`, expected: 'Never or OnFailure', found: shown(restartPolicy) });
  }
  return faults;
}

/** The API server takes no other for a Job. */
const JOB_POLICIES: ReadonlySet<string> = new Set(['Never', 'OnFailure']);
/** As the kubelet mounts it. */
const same = (path: string): string => posix.join('/', path, '/');
