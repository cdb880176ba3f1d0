import { type Static, Type } from 'typebox';
import * as k8s from './k8s.ts';
import type { WorkloadRole } from './names.ts';
import type { Column } from './resource.ts';
import { dateTime, described, int32, int64, mountSpec, openEnum, opt, stringMap } from './schema.ts';

export const phases = ['', 'NotReady', 'PartialReady', 'Ready'] as const;
/** Phase of masters, workers or fuse pods; `PartialReady` while some of them are ready. */
export type RuntimePhase = (typeof phases)[number];

const conditionFields = {
  type: Type.String({ description: 'What the condition is about.' }),
  status: openEnum(['True', 'False', 'Unknown'], { description: 'True, False or Unknown.' }),
  reason: opt(Type.String({ description: 'Why, in one word.' })),
  message: opt(Type.String({ description: 'Why, for people.' })),
};

export const runtimeCondition = Type.Object({
  ...conditionFields,
  lastProbeTime: opt(dateTime({ description: 'When it was last looked at.' })),
  lastTransitionTime: opt(dateTime({ description: 'When the status last changed.' })),
});
export type RuntimeCondition = Static<typeof runtimeCondition>;

export const datasetCondition = Type.Object({
  ...conditionFields,
  lastUpdateTime: opt(dateTime({ description: 'When it was last written.' })),
  lastTransitionTime: opt(dateTime({ description: 'When the status last changed.' })),
});
export type DatasetCondition = Static<typeof datasetCondition>;

export const cacheStates = stringMap('What is cached, as text: cached, cachedPercentage, cacheCapacity, cacheHitRatio and more.');
/** The generation of the spec that the status speaks of. */
export const observedGeneration = int64({ description: 'Generation of the spec that this status is about.' });

const phase = (whose: string) => openEnum(phases, { description: `NotReady, PartialReady or Ready: ${whose}.` });
const reason = (whose: string) => opt(Type.String({ description: `Why ${whose} are not ready.` }));
const count = (description: string) => int32({ description });

/** Status of every runtime, which the controller writes. Its counters are required because Fluid's are. */
export const runtimeStatus = Type.Object(
  {
    observedGeneration: opt(observedGeneration),
    valueFile: Type.String({ description: 'Identifies the engine: <name>-<engine>-values.' }),
    masterPhase: phase('masters'),
    masterReason: reason('masters'),
    workerPhase: phase('workers'),
    workerReason: reason('workers'),
    fusePhase: phase('fuse pods'),
    fuseReason: reason('fuse pods'),
    desiredMasterNumberScheduled: count('Masters wanted.'),
    currentMasterNumberScheduled: count('Masters that exist.'),
    masterNumberReady: count('Masters that are ready.'),
    desiredWorkerNumberScheduled: count('Workers wanted.'),
    currentWorkerNumberScheduled: count('Workers that exist.'),
    workerNumberReady: count('Workers that are ready.'),
    workerNumberAvailable: opt(count('Workers that have been ready long enough.')),
    workerNumberUnavailable: opt(count('Workers that are missing or not available.')),
    desiredFuseNumberScheduled: count('Nodes that should run a fuse pod.'),
    currentFuseNumberScheduled: count('Nodes that run a fuse pod.'),
    fuseNumberReady: count('Fuse pods that are ready.'),
    fuseNumberAvailable: opt(count('Fuse pods that have been ready long enough.')),
    fuseNumberUnavailable: opt(count('Fuse pods that are missing or not available.')),
    setupDuration: opt(Type.String({ description: 'How long the first set-up took.' })),
    conditions: opt(Type.Array(runtimeCondition, { description: 'How far set-up has come, and what is wrong.' })),
    cacheStates: opt(cacheStates),
    selector: opt(Type.String({ description: 'Label selector of the worker pods, for autoscalers.' })),
    apiGateway: opt(
      Type.Object(
        { endpoint: opt(Type.String({ description: 'Address of the gateway.' })) },
        { description: 'Gateway to the API of the engine.' },
      ),
    ),
    mountTime: opt(dateTime({ description: 'When the mounts were last changed.' })),
    mounts: opt(Type.Array(mountSpec, { description: 'Mounts in effect.' })),
    cacheAffinity: opt(described(k8s.NodeAffinity, 'Nodes that can hold the cache.')),
  },
  { description: 'What was observed; written by the controller.' },
);
export type RuntimeStatus = Static<typeof runtimeStatus>;

/** Fields of a CustomResource that kinds of runtimes with `spec.replicas` have in common. */
export const scalableRuntime = {
  categories: ['fluid'],
  namespaced: true,
  scale: { selector: true },
  statusSubresource: true,
  status: runtimeStatus,
} as const;

/** Columns of `kubectl get` for the pods of a role: the phase, and with `-o wide` the numbers of pods. */
export const podColumns = {
  master: columnsOf('master', 'Master'),
  worker: columnsOf('worker', 'Worker'),
  fuse: columnsOf('fuse', 'Fuse'),
} as const;

function columnsOf(role: WorkloadRole, word: string): readonly Column[] {
  return [
    { name: `Ready ${word}s`, type: 'integer', jsonPath: `.status.${role}NumberReady`, priority: 10 },
    { name: `Desired ${word}s`, type: 'integer', jsonPath: `.status.desired${word}NumberScheduled`, priority: 10 },
    { name: `${word} Phase`, type: 'string', jsonPath: `.status.${role}Phase` },
  ];
}
