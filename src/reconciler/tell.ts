import type { Dataset, RuntimeStatus } from '../api/index.ts';
import type { Cluster, Notice } from './cluster.ts';
import { withCondition } from './conditions.ts';
import type { Applied, Decision, Hold, RuntimeObject, World } from './world.ts';

/** The counters that the CRD requires, for a runtime of which nothing runs. */
const EMPTY: RuntimeStatus = {
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

/** Says on the Runtime, in a condition and an event, why nothing more is done for it. */
export async function tellRuntime(
  cluster: Cluster,
  object: RuntimeObject,
  { reason, message, passing }: Hold,
  type?: string,
  event = 'ErrorProcessRuntime',
): Promise<void> {
  const before = object.status ?? EMPTY;
  const claim = type
    ? ({ type, status: 'True', reason, message } as const)
    : ({ type: 'Synced', status: 'False', reason, message } as const);
  const conditions = withCondition(before.conditions ?? [], claim, cluster.now(), 'lastProbeTime');
  const wrote = await cluster.writeRuntimeStatus(object, {
    ...EMPTY,
    ...before,
    observedGeneration: object.metadata.generation ?? 0,
    conditions: [...conditions] as NonNullable<RuntimeStatus['conditions']>,
  });
  if (wrote && (!passing || event !== 'ErrorProcessRuntime' || reason === 'DatasetNotFound'))
    cluster.notice(object, { type: 'Warning', reason: event, note: message });
}

/** The same on the Dataset. One that was bound stays so: what serves is not less served because an edit was wrong. */
export async function tellDataset(cluster: Cluster, dataset: Dataset, { reason, message, passing }: Hold, event?: string): Promise<void> {
  const phase = dataset.status?.phase || 'NotBound';
  const failed = { type: 'NotReady', status: 'True', reason: passing ? reason : 'DatasetFailedToSetup', message } as const;
  const conditions = event
    ? (dataset.status?.conditions ?? [])
    : withCondition(dataset.status?.conditions ?? [], failed, cluster.now(), 'lastUpdateTime');
  const wrote = await cluster.writeDatasetStatus(dataset, { phase, conditions });
  if (event) cluster.notice(dataset, { type: 'Warning', reason: event, note: message });
  else if (wrote && !passing) cluster.notice(dataset, { type: 'Warning', reason: 'ErrorProcessDataset', note: message });
}

/** What a change of status is worth telling in events. */
export function noticesOf(
  world: World,
  { hold }: Decision,
  { failed }: Applied,
): readonly (Notice & { readonly about: 'dataset' | 'runtime' })[] {
  const { bound, dataset, runtime, workloads, plan } = world;
  if (failed.length > 0)
    return failed.map(({ object, message }) => ({
      about: 'runtime',
      type: 'Warning',
      reason: 'ErrorProcessRuntime',
      note: `${object}: ${message}`,
    }));
  if (hold && !hold.passing) return [{ about: 'runtime', type: 'Warning', reason: 'ErrorProcessRuntime', note: hold.message }];
  // Once for each edit.
  const isNew = !bound || runtime.status?.observedGeneration !== runtime.metadata.generation;
  const warnings = (isNew ? (plan.plan.warnings ?? []) : []).map(
    ({ reason, message }) => ({ about: 'runtime', type: 'Warning', reason, note: message }) as const,
  );
  if (!hold && !bound)
    return [{ about: 'dataset', type: 'Normal', reason: 'DatasetReady', note: 'The ddc runtime is ready.' }, ...warnings];
  const [from, to] = [runtime.status?.desiredWorkerNumberScheduled, workloads.worker?.desired];
  if (bound && dataset.status?.phase === 'Bound' && from !== undefined && to !== undefined && from !== to)
    return [
      ...warnings,
      {
        about: 'runtime',
        type: 'Normal',
        reason: 'Succeed',
        note: `Runtime scaled ${to > from ? 'out' : 'in'} from ${from} to ${to} workers`,
      },
    ];
  return hold ? [] : warnings;
}
