import { datasetId, label } from '../api/index.ts';
import type { BasePlan, ContainerProps, Operation, OperationProps, OperationSpec } from './contract.ts';
import { operationNames } from './operation-names.ts';
import { mergedAffinity, podSpec } from './pod.ts';

/** Labels of every object of an operation, and of its pods. */
export function operationLabels({ dataset }: BasePlan, operation: Operation): Readonly<Record<string, string>> {
  const { release, chart } = operationNames(operation);
  return {
    'app.kubernetes.io/name': chart,
    'app.kubernetes.io/instance': release,
    'app.kubernetes.io/managed-by': 'sluice',
    [label.managedBy]: 'fluid',
    [label.datasetId]: datasetId(dataset),
    release,
  };
}

/** The spec of a pod of an operation. What its user says wins over what the runtime says; both affinities must hold. */
export function operationPod(plan: BasePlan, operation: Operation, props: OperationProps): object {
  const { scripts, backoffLimit: _b, labels: _l, progressFile: _p, ...pod } = props;
  const spec: OperationSpec = operation.spec;
  const { affinity, tolerations = [], nodeSelector, schedulerName, resources } = spec;
  const { scripts: scriptsName, volume, directory } = operationNames(operation);
  const [first, ...others] = props.containers;
  const mounts = scripts ? [{ name: volume, mountPath: directory }] : [];
  return podSpec(plan, {
    ...pod,
    restartPolicy: pod.restartPolicy ?? pod.template?.spec?.restartPolicy ?? 'Never',
    containers: [
      { ...withLastWords(first), ...(resources && { resources }), volumeMounts: [...mounts, ...(first.volumeMounts ?? [])] },
      ...others.map(withLastWords),
    ],
    initContainers: pod.initContainers?.map(withLastWords),
    volumes: [...(scripts ? [{ name: volume, configMap: { name: scriptsName, defaultMode: 0o555 } }] : []), ...(pod.volumes ?? [])],
    affinity: mergedAffinity(mergedAffinity(pod.affinity, affinity), operation.facts.near && { nodeAffinity: operation.facts.near }),
    tolerations: [...(pod.tolerations ?? []), ...tolerations],
    nodeSelector: { ...pod.nodeSelector, ...nodeSelector },
    ...(schedulerName && { schedulerName }),
  });
}

/** The pod's status then says why it failed: reading it needs no permission for logs. */
const withLastWords = (container: ContainerProps): ContainerProps => ({
  ...container,
  terminationMessagePolicy: container.terminationMessagePolicy ?? 'FallbackToLogsOnError',
});
