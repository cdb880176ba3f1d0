import { type Static, Type } from 'typebox';
import * as fields from './fields.ts';
import * as k8s from './k8s.ts';
import { ageColumn, type Column } from './resource.ts';
import { operationNameRule } from './rules.ts';
import { dateTime, described, int32, openEnum, opt, podMetadata, stringMap } from './schema.ts';
import { observedGeneration, runtimeCondition } from './status.ts';

/** Fields that the specs and statuses of all operations on a Dataset share: DataLoad and its siblings. */

/** The Dataset that an operation is about. */
export const targetDataset = Type.Object(
  {
    name: Type.String({ description: 'Name of the Dataset.' }),
    namespace: opt(Type.String({ description: 'Namespace of the Dataset: that of the operation, also when empty.' })),
  },
  { description: 'The Dataset that the operation is about.' },
);

const objectRef = {
  apiVersion: opt(Type.String({ description: 'API version of the operation.' })),
  kind: Type.Enum(['DataLoad', 'DataBackup', 'DataMigrate', 'DataProcess'], { description: 'Kind of the operation.' }),
  name: Type.String({ description: 'Name of the operation.' }),
  namespace: opt(Type.String({ description: 'Namespace of the operation; that of this one when empty.' })),
};

const runAfter = Type.Object(
  {
    ...objectRef,
    affinityStrategy: opt(
      Type.Object(
        {
          dependOn: opt(Type.Object(objectRef, { description: 'Operation whose node counts; the earlier one when absent.' })),
          policy: opt(openEnum(['', 'Require', 'Prefer'], { description: 'Require or Prefer the node of the earlier operation.' })),
          prefers: opt(
            Type.Array(
              Type.Object({
                name: Type.String({ description: 'Key of a node label.' }),
                weight: int32({ description: 'Weight, 1 to 100.' }),
              }),
              { description: 'Node labels that should be the same.' },
            ),
          ),
          requires: opt(
            Type.Array(Type.Object({ name: Type.String({ description: 'Key of a node label.' }) }), {
              description: 'Node labels that must be the same.',
            }),
          ),
        },
        { description: 'How near to the earlier operation the pod runs.' },
      ),
    ),
  },
  { description: 'Operation that has to be complete before this one starts.' },
);

/** Fields of the spec that decide when an operation runs. */
export const whenFields = {
  policy: opt(
    Type.Enum(['Once', 'Cron', 'OnEvent'], {
      description: 'Once (also when absent), Cron or OnEvent: again whenever the mounts of the Dataset change.',
      default: 'Once',
    }),
  ),
  schedule: opt(Type.String({ description: 'When it runs, with policy Cron: 0 3 * * *.' })),
  runAfter: opt(runAfter),
  ttlSecondsAfterFinished: opt(int32({ description: 'Seconds after its end until the operation is deleted, with policy Once.' })),
};

/** Fields of the spec that decide how the pod of an operation runs. */
export const podFields = {
  podMetadata: opt(podMetadata),
  affinity: opt(described(k8s.Affinity, 'Nodes and pods that the pod should be near to.')),
  tolerations: opt(fields.tolerations),
  nodeSelector: opt(fields.nodeSelector),
  schedulerName: opt(Type.String({ description: "Scheduler of the pod; the cluster's when absent." })),
  resources: opt(fields.resources),
};

const operationPhases = ['', 'Pending', 'Executing', 'Complete', 'Failed'] as const;
/** Status of every operation, which the controller writes. `phase`, `duration` and `conditions` are required because Fluid's are. */
export const operationStatus = Type.Object(
  {
    phase: openEnum(operationPhases, { description: 'Pending, Executing, Complete or Failed.' }),
    duration: Type.String({
      description:
        'Duration of the latest run: from the creation of the operation, or of its Job if it may have run before. Unfinished until its end, and empty if it failed without a run.',
    }),
    conditions: Type.Array(runtimeCondition, { description: 'Complete or Failed, and why; then Ready, Reconciling and Stalled.' }),
    observedGeneration: opt(observedGeneration),
    infos: opt(stringMap('Progress and results, by name.')),
    lastScheduleTime: opt(dateTime({ description: 'When the schedule last started it.' })),
    lastSuccessfulTime: opt(dateTime({ description: 'When it last ended well.' })),
    waitingFor: opt(
      Type.Object(
        { operationComplete: opt(Type.Boolean({ description: 'It waits for the operation of spec.runAfter.' })) },
        { description: 'The operation that this one waits for.' },
      ),
    ),
    observedMounts: opt(Type.String({ description: 'With policy OnEvent: digest of the mounts in effect when the latest run began.' })),
    observedRunAfter: opt(Type.String({ description: 'The operation that waitingFor is about: DataLoad ml/first.' })),
    observedRetry: opt(Type.String({ description: 'Annotation data.fluid.io/retry when the latest run began.' })),
    nodeAffinity: opt(described(k8s.NodeAffinity, 'The node that it ran on, for operations that follow.')),
  },
  { description: 'What was observed; written by the controller.' },
);
export type OperationStatus = Static<typeof operationStatus>;

/** Fields of a CustomResource that kinds of operations have in common. */
export const operationKind = { namespaced: true, statusSubresource: true, status: operationStatus, rules: [operationNameRule] } as const;

/** Columns of `kubectl get`: Fluid's, in its order, then how far the operation is. */
export const operationColumns: readonly Column[] = [
  { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
  ageColumn,
  { name: 'Duration', type: 'string', jsonPath: '.status.duration' },
  { name: 'Progress', type: 'string', jsonPath: '.status.infos.Progress' },
];
