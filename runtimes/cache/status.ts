import * as k8s from '../../src/api/k8s.ts';
import { dateTime, described, int32, openEnum, opt, type Static, t } from '../../src/api/schema.ts';
import type { RuntimeCondition, RuntimePhase, RuntimeStatus } from '../../src/api/status.ts';
import { observedGeneration, phases, runtimeCondition } from '../../src/api/status.ts';
import type { StatusShape } from '../../src/constructs/index.ts';

const count = (description: string) => opt(int32({ description }));
const component = t.Object(
  {
    phase: openEnum(phases, { description: 'NotReady, PartialReady or Ready.' }),
    reason: opt(t.String({ description: 'Why, in one word.' })),
    message: opt(t.String({ description: 'Why, for people.' })),
    desiredReplicas: count('Pods wanted.'),
    currentReplicas: count('Pods that exist.'),
    availableReplicas: count('Pods that have been ready long enough.'),
    readyReplicas: count('Pods that are ready.'),
    unavailableReplicas: count('Pods that are missing or not available.'),
  },
  { description: 'The pods of a component.' },
);
type ComponentStatus = Static<typeof component>;

/** By component, where other runtimes count in fields of their own. */
export const cacheRuntimeStatus = t.Object(
  {
    observedGeneration: opt(observedGeneration),
    valueFile: opt(t.String({ description: 'ConfigMap with runtime.json, fluid-runtime-config-<name>.' })),
    master: opt(described(component, 'The masters.')),
    worker: opt(described(component, 'The workers.')),
    client: opt(described(component, 'The clients.')),
    setupDuration: opt(t.String({ description: 'How long the first set-up took.' })),
    conditions: opt(
      t.Array(runtimeCondition, {
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['type'],
        description: 'How far set-up has come, and what is wrong.',
      }),
    ),
    selector: opt(t.String({ description: 'Label selector of the worker pods, for autoscalers.' })),
    mountTime: opt(dateTime({ description: 'When the mounts were last changed.' })),
    cacheAffinity: opt(described(k8s.NodeAffinity, 'Nodes that can hold the cache.')),
  },
  { description: 'What was observed; written by the controller.' },
);
export type CacheRuntimeStatus = Static<typeof cacheRuntimeStatus>;

/** The name of the ConfigMap with runtime.json, which is also what Fluid writes as `status.valueFile`. */
export const configName = (runtime: string): string => `fluid-runtime-config-${runtime}`;

type Counts = Readonly<Record<'desired' | 'current' | 'ready', number>> & { readonly available?: number | undefined };

/** Undefined for a component that does not exist. */
const componentOf = (phase: RuntimePhase, { desired, current, ready, available = ready }: Counts): ComponentStatus | undefined =>
  phase === ''
    ? undefined
    : {
        phase,
        desiredReplicas: desired,
        currentReplicas: current,
        readyReplicas: ready,
        availableReplicas: available,
        ...(desired > available && { unavailableReplicas: desired - available }),
      };

function write(status: RuntimeStatus, name: string): CacheRuntimeStatus {
  const { observedGeneration, setupDuration, conditions, selector, mountTime, cacheAffinity } = status;
  const master = componentOf(status.masterPhase, {
    desired: status.desiredMasterNumberScheduled,
    current: status.currentMasterNumberScheduled,
    ready: status.masterNumberReady,
  });
  const worker = componentOf(status.workerPhase, {
    desired: status.desiredWorkerNumberScheduled,
    current: status.currentWorkerNumberScheduled,
    ready: status.workerNumberReady,
    available: status.workerNumberAvailable ?? 0,
  });
  const client = componentOf(status.fusePhase, {
    desired: status.desiredFuseNumberScheduled,
    current: status.currentFuseNumberScheduled,
    ready: status.fuseNumberReady,
    available: status.fuseNumberAvailable ?? 0,
  });
  return {
    ...(observedGeneration !== undefined && { observedGeneration }),
    // Empty until the runtime is set up.
    ...(status.valueFile && { valueFile: configName(name) }),
    ...(master && { master }),
    ...(worker && { worker }),
    ...(client && { client }),
    ...(setupDuration !== undefined && { setupDuration }),
    ...(conditions && { conditions }),
    ...(selector !== undefined && { selector }),
    ...(mountTime !== undefined && { mountTime }),
    ...(cacheAffinity && { cacheAffinity }),
  };
}

/** Nothing in it has been checked: Fluid may have written it, or anyone. What is of another type counts as absent. */
function read(status: Unchecked): RuntimeStatus {
  const [master, worker, client] = [status['master'], status['worker'], status['client']].map(countsOf) as [Seen, Seen, Seen];
  const { conditions, cacheAffinity, observedGeneration } = status;
  const texts = (['setupDuration', 'selector', 'mountTime'] as const).filter((field) => typeof status[field] === 'string');
  return {
    valueFile: typeof status['valueFile'] === 'string' ? status['valueFile'] : '',
    masterPhase: master.phase,
    workerPhase: worker.phase,
    fusePhase: client.phase,
    desiredMasterNumberScheduled: master.desired,
    currentMasterNumberScheduled: master.current,
    masterNumberReady: master.ready,
    desiredWorkerNumberScheduled: worker.desired,
    currentWorkerNumberScheduled: worker.current,
    workerNumberReady: worker.ready,
    ...(worker.available > 0 && { workerNumberAvailable: worker.available }),
    ...(worker.unavailable > 0 && { workerNumberUnavailable: worker.unavailable }),
    desiredFuseNumberScheduled: client.desired,
    currentFuseNumberScheduled: client.current,
    fuseNumberReady: client.ready,
    ...(client.available > 0 && { fuseNumberAvailable: client.available }),
    ...(client.unavailable > 0 && { fuseNumberUnavailable: client.unavailable }),
    ...(typeof observedGeneration === 'number' && { observedGeneration }),
    ...Object.fromEntries(texts.map((field) => [field, status[field]])),
    ...(Array.isArray(conditions) && { conditions: conditions.filter(isCondition) }),
    // The cast: it is compared with another, and not looked into.
    ...(isObject(cacheAffinity) && { cacheAffinity: cacheAffinity as NonNullable<RuntimeStatus['cacheAffinity']> }),
  };
}
type Unchecked = Readonly<Record<string, unknown>>;
type Seen = ReturnType<typeof countsOf>;

function countsOf(component: unknown) {
  const of = isObject(component) ? component : {};
  const count = (field: keyof ComponentStatus): number => (typeof of[field] === 'number' ? of[field] : 0);
  return {
    phase: phases.find((each) => each === of['phase']) ?? '',
    desired: count('desiredReplicas'),
    current: count('currentReplicas'),
    ready: count('readyReplicas'),
    available: count('availableReplicas'),
    unavailable: count('unavailableReplicas'),
  };
}
const isObject = (value: unknown): value is Unchecked => typeof value === 'object' && value !== null && !Array.isArray(value);
const isCondition = (value: unknown): value is RuntimeCondition => isObject(value) && typeof value['type'] === 'string';

export const statusShape: StatusShape = { write, read: (status) => read(status as Unchecked) };
