import { durationText, type RuntimeCondition, type RuntimeStatus, valueFile } from '../../api/index.ts';
import type { Role } from '../../constructs/index.ts';
import type { Unplanned } from '../cluster.ts';
import { cacheStatesOf, engineStatusOf } from './cache.ts';
import { datasetConditions, datasetPhase, type DatasetReport, datasetStatus } from './dataset.ts';
import { withDatasetHealth } from './health.ts';
import { counted, podConditions, selectorTextOf, texts } from './pods.ts';
import { runtimeConditions, withSync } from './runtime-conditions.ts';
import { troubleOf, unsyncedBy } from './unsynced.ts';
import { type Applied, type Decision, type Hold, ROLES, type World } from '../world.ts';

export interface Statuses {
  readonly runtime: RuntimeStatus;
  /** Only the fields that are ours. */
  readonly dataset: DatasetReport;
}

/** The counters that the CRD requires, for a runtime without workloads. */
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

/** The statuses of a dataset and its runtime, from one reading of the cluster. */
export function statusOf(world: World, decision: Decision, applied: Applied): Statuses {
  const trouble = troubleOf(world, decision, applied);
  const unsynced = unsyncedBy(world, decision, applied);
  return { runtime: runtimeStatus(world, applied, trouble, unsynced), dataset: datasetStatus(world, trouble, unsynced) };
}

/** The statuses without a plan: the reason and the workloads that run. All other fields stay as they were. */
export function unplannedStatusOf({ now, dataset, runtime, bound, workloads, hold }: Unplanned & Observed): Statuses {
  const before = runtime.status ?? EMPTY;
  const isReported = (role: Role) => before.conditions?.some(({ type }) => type === texts[role].ready.type);
  const roles = ROLES.filter((role) => workloads[role] || isReported(role));
  const seen = { now, dataset, runtime, bound, workloads, plan: { roles } };
  const conditions = withSync(podConditions(seen), hold, now) as RuntimeCondition[];
  const phase = datasetPhase(seen, hold);
  return {
    runtime: { ...EMPTY, ...withoutCounts(before), ...counted(runtime, workloads), conditions },
    dataset: { phase, conditions: withDatasetHealth(datasetConditions(dataset.status?.conditions ?? [], phase, hold, now), hold, now) },
  };
}

/** Without the counts that a status omits when they are zero. */
const withoutCounts = ({
  workerNumberAvailable: _a,
  workerNumberUnavailable: _b,
  fuseNumberAvailable: _c,
  fuseNumberUnavailable: _d,
  ...rest
}: RuntimeStatus): RuntimeStatus => rest;

interface Observed {
  readonly now: number;
  readonly dataset: World['dataset'];
  readonly runtime: World['runtime'];
}

function runtimeStatus(world: World, applied: Applied, trouble: Hold | undefined, unsynced: Hold | undefined): RuntimeStatus {
  const { runtime, plan, workloads, now } = world;
  const before: Partial<RuntimeStatus> = runtime.status ?? {};
  const bound = world.bound || !trouble;
  const cacheStates = cacheStatesOf(world, before);
  const affinity = world.cacheAffinity;
  const { apiGateway, mirrored } = engineStatusOf(world);
  return {
    valueFile: valueFile(plan.base.name, plan.base.engine),
    ...counted(runtime, workloads),
    ...((before.setupDuration || bound) && {
      setupDuration:
        before.setupDuration ?? durationText(now - Date.parse(runtime.metadata.creationTimestamp ?? new Date(now).toISOString())),
    }),
    conditions: runtimeConditions(world, applied, unsynced) as RuntimeCondition[],
    ...(cacheStates && { cacheStates }),
    selector: selectorTextOf(world),
    ...(apiGateway && { apiGateway }),
    ...(affinity && { cacheAffinity: affinity }),
    ...(before.mounts && { mounts: before.mounts }),
    ...(before.mountTime && { mountTime: before.mountTime }),
    ...mirrored?.runtime,
  };
}
