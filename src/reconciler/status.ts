import {
  annotation,
  bytesText,
  type DatasetCondition,
  type DatasetPhase,
  type DatasetStatus,
  durationText,
  type Manifest,
  type RuntimeCondition,
  type RuntimePhase,
  type RuntimeStatus,
  valueFile,
} from '../api/index.ts';
import type { Role } from '../constructs/index.ts';
import type { Unplanned } from './cluster.ts';
import { type Claim, withCondition, withoutCondition } from './conditions.ts';
import type { Applied, Decision, Hold, WorkloadView, World } from './world.ts';

export interface Statuses {
  readonly runtime: RuntimeStatus;
  /** Only the fields that are ours. */
  readonly dataset: Partial<DatasetStatus>;
}

/** The counters that the CRD requires, for a runtime of which nothing runs. */
export const EMPTY: RuntimeStatus = {
  valueFile: '',
  masterPhase: '',
  workerPhase: '',
  fusePhase: '',
  desiredMasterNumberScheduled: 0,
  currentMasterNumberScheduled: 0,
  masterNumberReady: 0,
  desiredWorkerNumberScheduled: 0,
  currentWorkerNumberScheduled: 0,
  workerNumberReady: 0,
  desiredFuseNumberScheduled: 0,
  currentFuseNumberScheduled: 0,
  fuseNumberReady: 0,
};

/** Everything we tell about a dataset and its runtime, from one reading of the cluster. */
export function statusOf(world: World, decision: Decision, applied: Applied): Statuses {
  const trouble = troubleOf(decision.hold, applied, world.obstacle);
  return { runtime: runtimeStatus(world, applied, trouble), dataset: datasetStatus(world, trouble) };
}

/** What can be told where there is no plan: why, and what runs. All else stays as it was told. */
export function unplannedStatusOf({ now, dataset, runtime, bound, workloads, hold }: Unplanned & Told): Statuses {
  const before = runtime.status ?? EMPTY;
  const isTold = (role: Role) => before.conditions?.some(({ type }) => type === texts[role].ready.type);
  const roles = ROLES.filter((role) => workloads[role] || isTold(role));
  const seen = { now, dataset, runtime, bound, workloads, plan: { roles } };
  const conditions = withSync(podConditions(seen), hold, now) as RuntimeCondition[];
  const phase = datasetPhase(seen, hold);
  return {
    runtime: { ...EMPTY, ...withoutCounts(before), ...counted(runtime, workloads), conditions },
    dataset: { phase, conditions: datasetConditions(dataset.status?.conditions ?? [], phase, hold, now, hold) as DatasetCondition[] },
  };
}
/** Those that are absent where there are none. */
const withoutCounts = ({
  workerNumberAvailable: _a,
  workerNumberUnavailable: _b,
  fuseNumberAvailable: _c,
  fuseNumberUnavailable: _d,
  ...rest
}: RuntimeStatus): RuntimeStatus => rest;

interface Told {
  readonly now: number;
  readonly dataset: World['dataset'];
  readonly runtime: World['runtime'];
}
/** As much of a reading as there is without a plan. */
type Seen = Pick<World, 'now' | 'dataset' | 'runtime' | 'bound' | 'workloads'> & { readonly plan: { readonly roles: readonly Role[] } };

/** Why it is not as it should be: the first object that could not be written, else what the lifecycle waits for. */
function troubleOf(hold: Hold | undefined, { failed: [failure] }: Applied, obstacle: Hold | undefined): Hold | undefined {
  if (!failure) return hold;
  const message = `${failure.object}: ${failure.message}`;
  return { reason: failure.reason, message: obstacle ? `${message}. Besides: ${obstacle.message}` : message };
}

export function phaseOf(workload: WorkloadView | undefined): RuntimePhase {
  if (!workload) return '';
  const { desired, ready } = workload;
  if (ready >= desired) return 'Ready';
  return ready > 0 ? 'PartialReady' : 'NotReady';
}

const ROLES = ['master', 'worker', 'fuse'] as const;
const NONE: WorkloadView = { desired: 0, current: 0, ready: 0, available: 0, outdated: [] };

function runtimeStatus(world: World, applied: Applied, trouble: Hold | undefined): RuntimeStatus {
  const { runtime, plan, workloads, now } = world;
  const before: Partial<RuntimeStatus> = runtime.status ?? {};
  const bound = world.bound || !trouble;
  const cacheStates = cacheStatesOf(world, before);
  const affinity = world.cacheAffinity;
  return {
    valueFile: valueFile(plan.plan.name, plan.plan.type),
    ...counted(runtime, workloads),
    ...((before.setupDuration || bound) && {
      setupDuration:
        before.setupDuration ?? durationText(now - Date.parse(runtime.metadata.creationTimestamp ?? new Date(now).toISOString())),
    }),
    conditions: runtimeConditions(world, applied, trouble) as RuntimeCondition[],
    ...(cacheStates && { cacheStates }),
    selector: selectorOf(world),
    ...(affinity && { cacheAffinity: affinity }),
    ...(before.mounts && { mounts: before.mounts }),
    ...(before.mountTime && { mountTime: before.mountTime }),
  };
}

/** The pods, as the API server has counted them. */
function counted({ metadata }: World['runtime'], workloads: World['workloads']) {
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
const texts = {
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

function runtimeConditions(world: World, applied: Applied, trouble: Hold | undefined): readonly RuntimeCondition[] {
  const { workloads, now } = world;
  let conditions = podConditions(world);
  const set = (claim: Claim) => {
    conditions = withCondition(conditions, claim, now, 'lastProbeTime');
  };
  const tell = (type: string, message: string | undefined, reason = type) => {
    if (message) set({ type, status: 'True', reason, message });
    else conditions = withoutCondition(conditions, type);
  };
  const scaled = scaledClaim(world);
  if (scaled) {
    // Scaled from 1 to 3 once more is news, though the words are the same.
    conditions = withoutCondition(conditions, scaled.type);
    set(scaled);
  }
  const waiting = waitingText(applied);
  const kept = waiting ? { reason: 'PlacementWaiting', message: waiting } : undefined;
  conditions = withSync(conditions, trouble ?? kept, now);
  const outdated = Object.values(workloads).flatMap((workload) => workload?.outdated ?? []);
  tell('PodsOutdated', outdated.length > 0 ? `These pods run an older template until they are deleted: ${some(outdated)}` : undefined);
  const warnings = world.plan.plan.warnings ?? [];
  tell('SpecWarning', warnings.map(({ message }) => message).join('; '), warnings[0]?.reason);
  tell('PlacementWaiting', waiting, 'NodesInUse');
  tell(
    'ImmutableFieldChanged',
    applied.immutable.length > 0
      ? `Kubernetes does not let these change; delete the object to have it made again: ${some(applied.immutable.map(({ object, path, live, desired }) => `${object} ${path}: ${short(live)} → ${short(desired)}`))}`
      : undefined,
  );
  return conditions;
}

/** On which nodes fuse pods are kept, and for whom. */
function waitingText({ waiting }: Applied): string | undefined {
  const inUse = waiting.flatMap(({ nodes }) => nodes.map(({ name, pods }) => `${name} (${some(pods)})`));
  return inUse.length > 0
    ? `Fuse pods stay on nodes that the spec no longer selects until no pod mounts the dataset there: ${some(inUse)}. The annotation ${annotation.fusePlacement}: now ends that at once.`
    : undefined;
}

/** What the pods say of themselves. */
function podConditions({ runtime, plan, workloads, now }: Seen): readonly RuntimeCondition[] {
  let conditions: readonly RuntimeCondition[] = runtime.status?.conditions ?? [];
  const set = (claim: Claim) => {
    conditions = withCondition(conditions, claim, now, 'lastProbeTime');
  };
  for (const role of ROLES) {
    const workload = workloads[role];
    if (!plan.roles.includes(role)) continue;
    const { initialized, ready } = texts[role];
    // As in Fluid, a runtime with workers has no condition for the creation of its fuse pods, and none at all while no worker is wanted.
    const told = role === 'fuse' ? !plan.roles.includes('worker') : (workload?.desired ?? 0) > 0;
    if (workload && told) set({ ...initialized, status: 'True' });
    if (workload) set(readyClaim(ready, workload));
    else if (conditions.some(({ type }) => type === ready.type)) set({ ...ready, status: 'False', message: `The ${ready.noun} gone.` });
  }
  return conditions;
}

/** Whether it is as its spec says. It serves, or should: another runtime does so no longer. */
const withSync = (conditions: readonly RuntimeCondition[], trouble: Hold | undefined, now: number): readonly RuntimeCondition[] =>
  withCondition(
    withoutCondition(conditions, 'DatasetTaken'),
    trouble
      ? { type: 'Synced', status: 'False', reason: trouble.reason, message: trouble.message }
      : { type: 'Synced', status: 'True', reason: 'Synced', message: 'Every object is as the spec says.' },
    now,
    'lastProbeTime',
  );

function readyClaim({ type, reason, noun }: { type: string; reason: string; noun: string }, workload: WorkloadView): Claim {
  const phase = phaseOf(workload);
  return phase === 'NotReady'
    ? { type, status: 'False', reason, message: `The ${noun} not ready.` }
    : { type, status: 'True', reason, message: `The ${noun} ${phase === 'PartialReady' ? 'partially ' : ''}ready.` };
}

function scaledClaim({ runtime, workloads, bound }: World): Claim | undefined {
  const [from, to] = [runtime.status?.desiredWorkerNumberScheduled, workloads.worker?.desired];
  if (!bound || from === undefined || to === undefined || from === to || !runtime.status?.workerPhase) return undefined;
  const [type, how] = to > from ? ['WorkersScaledOut', 'out'] : ['WorkersScaledIn', 'in'];
  return {
    type,
    status: 'True',
    reason: `Workers scaled ${how}`,
    message: `Workers scaled ${how} from ${from} replicas to ${to} replicas.`,
  };
}

/** What an autoscaler selects by. */
function selectorOf({ plan: { plan, roles } }: World): string {
  const role = roles.includes('worker') ? 'worker' : 'fuse';
  return `app=${plan.type},release=${plan.name},role=${plan.type}-${role}`;
}

/** Where cache can be, for pods that want to be near it: the workers' node affinity with their node selector in each term. */
export function cacheAffinityOf(workers: readonly Manifest[]): object | undefined {
  const worker = workers.find(({ kind }) => kind === 'StatefulSet');
  const pod = (
    worker?.['spec'] as
      | { template: { spec: { affinity?: { nodeAffinity?: NodeAffinity }; nodeSelector?: Record<string, string> } } }
      | undefined
  )?.template.spec;
  const replicas = (worker?.['spec'] as { replicas?: number } | undefined)?.replicas;
  if (!pod) return undefined;
  const selected = Object.entries(pod.nodeSelector ?? {}).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  // As in Fluid, no workers have no affinity.
  const affinity = replicas === 0 ? undefined : pod.affinity?.nodeAffinity;
  const terms = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const withSelector =
    selected.length === 0
      ? terms
      : (terms.length > 0 ? terms : [{}]).map((term) => ({ ...term, matchExpressions: [...(term.matchExpressions ?? []), ...selected] }));
  return { ...affinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: withSelector } };
}
interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: {
    readonly nodeSelectorTerms: readonly { readonly matchExpressions?: readonly unknown[] }[];
  };
}

function cacheStatesOf({ plan, workloads, probes }: World, before: Pick<RuntimeStatus, 'cacheStates'> | undefined) {
  // Being asked for the first time since we started: what was told before is better than nothing.
  if (probes.cacheRunning && !probes.cache && before?.cacheStates) return before.cacheStates;
  const states = plan.cacheStates({ readyWorkers: workloads.worker?.ready ?? 0, ...probes });
  return states && { ...states };
}

function datasetStatus(world: World, trouble: Hold | undefined): Partial<DatasetStatus> {
  const { dataset, runtime, plan, now, probes } = world;
  const before = dataset.status;
  const phase = datasetPhase(world, trouble);
  const conditions = datasetConditions(before?.conditions ?? [], phase, trouble, now, world.obstacle) as DatasetCondition[];
  if (phase === 'NotBound') return { phase, conditions };
  const cacheStates = cacheStatesOf(world, before);
  const masters = plan.plan.replicas.master ?? plan.plan.replicas.worker;
  return {
    phase,
    conditions,
    observedGeneration: dataset.metadata.generation ?? 0,
    runtimes: [
      {
        name: runtime.metadata.name,
        namespace: world.key.namespace,
        category: 'Accelerate',
        type: plan.plan.type,
        ...(masters && { masterReplicas: masters }),
      },
    ],
    // Mounts are in effect once nothing is held up; until then the list stays as it was.
    ...(!trouble && dataset.spec.mounts && { mounts: dataset.spec.mounts }),
    // As in Fluid, a dataset says nothing of a cache that nobody can be asked about.
    ...(plan.probes.cache && cacheStates && { cacheStates }),
    ...(plan.probes.ufs && ufsTexts(probes, before)),
  };
}

function ufsTexts({ ufs, ufsRunning }: World['probes'], before: DatasetStatus | undefined): Partial<DatasetStatus> {
  if (ufs) return { ufsTotal: bytesText(ufs.totalBytes), ...(ufs.files !== undefined && { fileNum: String(ufs.files) }) };
  if (before?.ufsTotal && before.ufsTotal !== CALCULATING) return {};
  return ufsRunning ? { ufsTotal: CALCULATING, fileNum: CALCULATING } : {};
}
export const CALCULATING = '[Calculating]';

function datasetPhase({ bound, dataset, workloads, plan }: Seen, trouble: Hold | undefined): DatasetPhase {
  if (!trouble) return 'Bound';
  if (!bound) return 'NotBound';
  if (trouble.reason === 'MountsChanging') return 'Updating';
  // After a restart nothing has changed until the masters have said so.
  if (trouble.reason === 'MountsUnknown') return dataset.status?.phase ?? 'Bound';
  // A dataset whose volume is being made again, or whose Secret is gone, still serves those who have it mounted.
  const serving = (['master', 'worker'] as const).every(
    (role) => !plan.roles.includes(role) || !['', 'NotReady'].includes(phaseOf(workloads[role])),
  );
  return serving ? 'Bound' : 'Failed';
}

function datasetConditions(
  before: readonly DatasetCondition[],
  phase: DatasetPhase,
  trouble: Hold | undefined,
  now: number,
  obstacle?: Hold,
): readonly DatasetCondition[] {
  const set = (list: readonly DatasetCondition[], claim: Claim) => withCondition(list, claim, now, 'lastUpdateTime');
  const isKnown = (type: string) => before.some((condition) => condition.type === type);
  const message = trouble?.message ?? '';
  if (phase === 'NotBound')
    return set(before, { type: 'NotReady', status: 'True', reason: trouble?.passing ? trouble.reason : 'DatasetFailedToSetup', message });
  if (phase === 'Failed') return set(before, { type: 'Ready', status: 'False', reason: 'DatasetFailed', message });
  const settled = isKnown('NotReady') ? set(before, { type: 'NotReady', status: 'False', reason: 'DatasetReady', message: READY }) : before;
  if (phase === 'Updating') return set(settled, { type: 'Updating', status: 'True', reason: 'DatasetUpdating', message });
  const updated = isKnown('Updating')
    ? set(settled, { type: 'Updating', status: 'False', reason: 'DatasetReady', message: READY })
    : settled;
  // It serves, though not as the newest spec says.
  if (obstacle) return set(updated, { type: 'Ready', status: 'True', reason: obstacle.reason, message: `${READY} ${obstacle.message}` });
  return set(updated, { type: 'Ready', status: 'True', reason: 'DatasetReady', message: READY });
}
const READY = 'The ddc runtime is ready.';

const some = (texts: readonly string[]): string =>
  texts.length > 5 ? `${texts.slice(0, 5).join(', ')} and ${texts.length - 5} more` : texts.join(', ');
const short = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
};
