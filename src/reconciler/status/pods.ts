import type { RuntimeCondition, RuntimePhase } from '../../api/index.ts';
import { type Role, selectorOf } from '../../constructs/index.ts';
import { type UntimedCondition, withCondition } from './conditions.ts';
import { ROLES, type WorkloadView, type World } from '../world.ts';
import { selectorText } from '../../kube/selector.ts';

/** The part of a World that is known without a plan. */
export type Seen = Pick<World, 'now' | 'dataset' | 'runtime' | 'bound' | 'workloads'> & {
  readonly plan: { readonly roles: readonly Role[] };
};

export function phaseOf(workload: WorkloadView | undefined): RuntimePhase {
  if (!workload) return '';
  const { desired, ready } = workload;
  if (ready >= desired) return 'Ready';
  return ready > 0 ? 'PartialReady' : 'NotReady';
}

const NONE: WorkloadView = { desired: 0, current: 0, ready: 0, available: 0, outdated: [], crashing: [], unstarted: [] };

/** The fields of a status that count pods, as the API server has counted them. */
export function counted({ metadata }: World['runtime'], workloads: World['workloads']) {
  const { master = NONE, worker = NONE, fuse = NONE } = workloads;
  return {
    observedGeneration: metadata.generation ?? 0,
    masterPhase: phaseOf(workloads.master),
    workerPhase: phaseOf(workloads.worker),
    fusePhase: phaseOf(workloads.fuse),
    ...(workloads.fuse && { fuseReason: texts.fuse.ready.reason }),
    desiredMasterNumberScheduled: master.desired,
    currentMasterNumberScheduled: master.current,
    masterNumberReady: master.ready,
    desiredWorkerNumberScheduled: worker.desired,
    currentWorkerNumberScheduled: worker.current,
    workerNumberReady: worker.ready,
    ...(worker.available > 0 && { workerNumberAvailable: worker.available }),
    ...(worker.desired > worker.available && { workerNumberUnavailable: worker.desired - worker.available }),
    desiredFuseNumberScheduled: fuse.desired,
    currentFuseNumberScheduled: fuse.current,
    fuseNumberReady: fuse.ready,
    ...(fuse.available > 0 && { fuseNumberAvailable: fuse.available }),
    ...(fuse.desired > fuse.available && { fuseNumberUnavailable: fuse.desired - fuse.available }),
  };
}

export const texts = {
  master: {
    initialized: { type: 'MasterInitialized', reason: 'Master is initialized', message: 'The master is initialized.' },
    ready: { type: 'MasterReady', reason: 'Master is ready', noun: 'master is' },
  },
  worker: {
    initialized: { type: 'WorkersInitialized', reason: 'Workers are initialized', message: 'The workers are initialized.' },
    ready: { type: 'WorkersReady', reason: 'Workers are ready', noun: 'workers are' },
  },
  fuse: {
    initialized: { type: 'FusesInitialized', reason: 'Fuses are initialized', message: 'The fuse is initialized.' },
    ready: { type: 'FusesReady', reason: 'Fuses are ready', noun: 'fuses are' },
  },
} as const;

/** A runtime that shows another Dataset has no pods; Fluid copied the conditions of the other runtime. */
export const withoutPodConditions = ({ runtime }: Pick<Seen, 'runtime'>): readonly RuntimeCondition[] =>
  (runtime.status?.conditions ?? []).filter(({ type }) => !ABOUT_PODS.has(type));

const ABOUT_PODS: ReadonlySet<string> = new Set([
  ...ROLES.flatMap((role) => [texts[role].initialized.type, texts[role].ready.type]),
  'WorkersScaledOut',
  'WorkersScaledIn',
]);

/** The conditions of a runtime with those about its pods brought up to date. */
export function podConditions({ runtime, plan, workloads, now }: Seen): readonly RuntimeCondition[] {
  let conditions: readonly RuntimeCondition[] = runtime.status?.conditions ?? [];
  const set = (condition: UntimedCondition) => {
    conditions = withCondition(conditions, condition, now, 'lastProbeTime');
  };
  for (const role of ROLES) {
    const workload = workloads[role];
    if (!plan.roles.includes(role)) continue;
    const { initialized, ready } = texts[role];
    // As in Fluid, a runtime with workers has no condition for the creation of its fuse pods, and none at all while no worker is wanted.
    const isReported = role === 'fuse' ? !plan.roles.includes('worker') : (workload?.desired ?? 0) > 0;
    if (workload && isReported) set({ ...initialized, status: 'True' });
    if (workload) set(readyCondition(ready, workload));
    else if (conditions.some(({ type }) => type === ready.type)) set({ ...ready, status: 'False', message: `The ${ready.noun} gone.` });
  }
  return conditions;
}

function readyCondition({ type, reason, noun }: { type: string; reason: string; noun: string }, workload: WorkloadView): UntimedCondition {
  const phase = phaseOf(workload);
  return phase === 'NotReady'
    ? { type, status: 'False', reason, message: `The ${noun} not ready.` }
    : { type, status: 'True', reason, message: `The ${noun} ${phase === 'PartialReady' ? 'partially ' : ''}ready.` };
}

/** The label selector of `status.selector`, by which an autoscaler finds the pods. */
export function selectorTextOf({ plan: { base, roles } }: World): string {
  const role = roles.includes('worker') ? 'worker' : 'fuse';
  return selectorText(selectorOf(base, role));
}
