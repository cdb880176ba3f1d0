import { Construct } from 'constructs';
import { annotation, label, type Manifest } from '../api/index.ts';
import type { OwnedObject } from './component.ts';
import type { BasePlan, Operation, OperationProps, OperationSpec } from './contract.ts';
import { must } from './faults.ts';
import { PlainObject } from './plain-object.ts';
import { operationNames } from './operation-names.ts';
import { operationLabels, operationPod } from './operation-pod.ts';
import { ignored, type Warning, warningsOf } from './warnings.ts';

/**
 * The Job in which an operation runs, or with policy Cron the CronJob that creates such Jobs.
 * @throws InvalidSpec when the policy is Cron and the spec has no schedule.
 * @example
 * import type { Construct } from 'constructs';
 *
 * class AcmeLoad extends OperationJob {
 *   constructor(scope: Construct, plan: BasePlan, load: Operation<'DataLoad'>) {
 *     const args = loadTargets(load).map(({ path }) => literal(path));
 *     super(scope, plan, load, { containers: [{ name: 'load', image: 'acme:1', command: ['acme', 'load'], args }] });
 *   }
 * }
 */
export class OperationJob extends Construct {
  constructor(scope: Construct, plan: BasePlan, operation: Operation, props: OperationProps) {
    super(scope, 'operation');
    const { kind, uid } = operation;
    const spec: OperationSpec = operation.spec;
    const { release, job: name, pod, scripts: scriptsName, app = plan.app } = operationNames(operation);
    const role = kind.toLowerCase();
    const labels = { ...operationLabels(plan, operation), ...props.labels, app, targetDataset: plan.name, role: `${role}-job` };
    const isCron = spec.policy === 'Cron';
    const jobSpec = {
      backoffLimit: props.backoffLimit ?? 3,
      completions: 1,
      parallelism: 1,
      template: {
        metadata: {
          name: pod,
          // Last, as in every pod: users may not change what other components of Fluid look for.
          labels: {
            ...props.template?.metadata?.labels,
            ...spec.podMetadata?.labels,
            ...props.podLabels,
            ...operationLabels(plan, operation),
            app,
            release,
            targetDataset: plan.name,
            role: `${role}-pod`,
            ...(isCron && { cronjob: name }),
          },
          annotations: {
            ...props.template?.metadata?.annotations,
            ...spec.podMetadata?.annotations,
            ...props.podAnnotations,
            [label.istioInject]: 'false',
          },
        },
        spec: operationPod(plan, operation, props),
      },
    };
    if (props.scripts)
      ownedByOperation(this, plan, operation, { apiVersion: 'v1', kind: 'ConfigMap', name: scriptsName, data: props.scripts });
    const apiVersion = 'batch/v1';
    const annotations = props.progressFile === undefined ? {} : { [annotation.progressFile]: props.progressFile };
    if (!isCron) {
      ownedByOperation(this, plan, operation, { apiVersion, kind: 'Job', name, labels, annotations, spec: jobSpec });
      return;
    }
    must(spec.schedule, 'spec.schedule', 'a schedule, since the policy is Cron', spec.schedule);
    ownedByOperation(this, plan, operation, {
      apiVersion,
      kind: 'CronJob',
      name,
      labels: { ...labels, role: `${role}-cronjob`, [role]: operation.name, [label.jobPolicy]: 'cron' },
      spec: {
        schedule: spec.schedule,
        // As one of a kind runs at a time: two loads would evict each other's data.
        concurrencyPolicy: 'Forbid',
        // Without labels of their own, Jobs would get those of the pods, and the controller would not find them.
        jobTemplate: {
          metadata: {
            labels: { [label.owner]: uid, ...labels, cronjob: name },
            ...(props.progressFile !== undefined && { annotations }),
          },
          spec: jobSpec,
        },
      },
    });
  }
}

/** Any other object of an operation, such as a Service between its pods. It is deleted with the operation. */
export function ownedByOperation(scope: Construct, plan: BasePlan, operation: Operation, object: OwnedObject): PlainObject {
  const { apiVersion, kind, name, labels, annotations, ...rest } = object;
  const { uid } = operation;
  const owner = { apiVersion: plan.owner.apiVersion, kind: operation.kind, name: operation.name, uid };
  const metadata: Manifest['metadata'] = {
    name,
    labels: { [label.owner]: uid, role: `${operation.kind.toLowerCase()}-job`, ...operationLabels(plan, operation), ...labels },
    ...(annotations && Object.keys(annotations).length > 0 && { annotations }),
    ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: false }],
  };
  return new PlainObject(scope, `${kind}-${name}`, { apiVersion, kind, metadata, ...rest });
}

const AFFINITIES: readonly string[] = ['', 'Require', 'Prefer'];

/** Fields of an operation that have no effect on any engine, since others are as they are. */
export function operationWarnings({
  policy = 'Once',
  schedule,
  ttlSecondsAfterFinished: ttl,
  runAfter,
}: OperationSpec): readonly Warning[] {
  const affinity = runAfter?.affinityStrategy?.policy ?? '';
  return warningsOf(
    schedule && policy !== 'Cron' && ignored('spec.schedule', 'has no effect without policy Cron'),
    ttl !== undefined && policy !== 'Once' && ignored('spec.ttlSecondsAfterFinished', `has no effect with policy ${policy}`),
    !AFFINITIES.includes(affinity) && ignored('spec.runAfter.affinityStrategy.policy', 'has no effect; expected Require or Prefer'),
  );
}
