import { bytesText, type Dataset, type DatasetCondition, type DatasetPhase, type DatasetStatus } from '../../api/index.ts';
import type { UfsUsage } from '../../constructs/index.ts';
import { type UntimedCondition, withCondition, withoutCondition } from './conditions.ts';
import { causeOf, isPassing } from '../../planning/reasons.ts';
import type { Hold, World } from '../world.ts';
import { equal } from '../../planning/diff/merge-patch.ts';
import { cacheStatesOf, engineStatusOf } from './cache.ts';
import { withDatasetHealth } from './health.ts';
import { phaseOf, type Seen } from './pods.ts';
import { UNAVAILABLE } from '../../planning/attention.ts';
import { unavailableOf } from './unavailable.ts';

type Figures = 'ufsTotal' | 'fileNum' | 'cacheStates' | 'hcfs';
/** Null removes a field. */
export type DatasetReport = Omit<Partial<DatasetStatus>, Figures> & { readonly [Field in Figures]?: DatasetStatus[Field] | null };

/** A figure that the other Dataset does not have, or no more, is absent here too. */
const MIRRORED: DatasetReport = { ufsTotal: null, fileNum: null, cacheStates: null, hcfs: null };

export function datasetStatus(world: World, trouble: Hold | undefined, unsynced: Hold | undefined): DatasetReport {
  const { dataset, runtime, plan, now, probes } = world;
  const before = dataset.status;
  const phase = datasetPhase(world, trouble);
  const own = withAvailability(datasetConditions(before?.conditions ?? [], phase, unsynced, now), world);
  const conditions = withDatasetHealth(own, unsynced, now);
  if (phase === 'NotBound') return { phase, conditions };
  const engine = engineStatusOf(world);
  const cacheStates = plan.probes.cache ? cacheStatesOf(world, before) : engine.datasetCacheStates;
  // The first probe since this process started: until it ends, the last reported value stays.
  const hcfs = probes.cacheRunning && !probes.cache ? (before?.hcfs ?? engine.hcfs) : engine.hcfs;
  // As Fluid does for kinds without masters. A kind that can have masters would read them back as its own.
  const masters = plan.known.includes('master') ? plan.base.replicas.master : plan.base.replicas.worker;
  return {
    phase,
    conditions,
    runtimes: [
      {
        name: runtime.metadata.name,
        namespace: world.key.namespace,
        category: 'Accelerate',
        type: plan.base.type,
        ...(masters && { masterReplicas: masters }),
      },
    ],
    // Mounts are in effect once nothing holds up the set-up; until then the list stays as it was.
    ...(!trouble && dataset.spec.mounts && { mounts: dataset.spec.mounts }),
    ...(cacheStates && { cacheStates: { ...cacheStates } }),
    ...(hcfs && { hcfs }),
    ...engine.data,
    ...(plan.probes.ufs && ufsTexts(probes, before, !trouble && mountsChanged(dataset))),
    ...(engine.mirrored && { ...MIRRORED, ...engine.mirrored.dataset }),
  };
}

/** Whether the data was counted with other mounts. */
export const mountsChanged = ({ spec, status }: Pick<Dataset, 'spec' | 'status'>): boolean =>
  status?.mounts !== undefined && !equal(status.mounts, spec.mounts ?? []);

const countedTexts = ({ totalBytes, files }: UfsUsage) => ({
  ufsTotal: bytesText(totalBytes),
  ...(files !== undefined && { fileNum: String(files) }),
});

/** Whether a status says what was counted. */
export const isReported = (ufs: UfsUsage, status: Dataset['status']): boolean =>
  Object.entries(countedTexts(ufs)).every(([name, text]) => status?.[name as 'ufsTotal' | 'fileNum'] === text);

function ufsTexts({ ufs, ufsRunning }: World['probes'], before: DatasetStatus | undefined, isOutdated: boolean): Partial<DatasetStatus> {
  if (ufs) return countedTexts(ufs);
  if (before?.ufsTotal && before.ufsTotal !== CALCULATING && !isOutdated) return {};
  return ufsRunning || (isOutdated && before?.ufsTotal) ? { ufsTotal: CALCULATING, fileNum: CALCULATING } : {};
}

export const CALCULATING = '[Calculating]';

export function datasetPhase({ bound, dataset, workloads, plan }: Seen, trouble: Hold | undefined): DatasetPhase {
  if (!trouble) return 'Bound';
  if (!bound) return 'NotBound';
  if (trouble.revokes) return 'Failed';
  const { phase } = causeOf(trouble.reason);
  // After a restart of the controller the phase stays until the masters have reported.
  if (phase) return phase === 'unchanged' ? (dataset.status?.phase ?? 'Bound') : phase;
  // A dataset whose volume is being created again, or whose Secret is gone, still serves the pods that mount it.
  const serving = (['master', 'worker'] as const).every(
    (role) => !plan.roles.includes(role) || !['', 'NotReady'].includes(phaseOf(workloads[role])),
  );
  return serving ? 'Bound' : 'Failed';
}

export function datasetConditions(
  conditions: readonly DatasetCondition[],
  phase: DatasetPhase,
  unsynced: Hold | undefined,
  now: number,
): readonly DatasetCondition[] {
  const set = (list: readonly DatasetCondition[], condition: UntimedCondition) => withCondition(list, condition, now, 'lastUpdateTime');
  const isKnown = (type: string) => conditions.some((condition) => condition.type === type);
  const message = unsynced?.message ?? '';
  // Fluid leaves the condition behind when its change of the mounts fails; nothing else would ever end it.
  const isLeft = NOT_SERVING.has(phase) && conditions.some(({ type, status }) => type === 'Updating' && status === 'True');
  const before = isLeft ? set(conditions, { type: 'Updating', status: 'False', reason: 'DatasetFailed', message }) : conditions;
  if (phase === 'NotBound')
    return notReady(before, unsynced && isPassing(unsynced) ? unsynced.reason : 'DatasetFailedToSetup', message, now);
  if (phase === 'Failed') return set(before, { type: 'Ready', status: 'False', reason: 'DatasetFailed', message });
  const settled = isKnown('NotReady') ? set(before, { type: 'NotReady', status: 'False', reason: 'DatasetReady', message: READY }) : before;
  if (phase === 'Updating') return set(settled, { type: 'Updating', status: 'True', reason: 'DatasetUpdating', message });
  const updated = isKnown('Updating')
    ? set(settled, { type: 'Updating', status: 'False', reason: 'DatasetReady', message: READY })
    : settled;
  // The dataset serves, though not as its newest spec says.
  if (unsynced) return set(updated, { type: 'Ready', status: 'True', reason: unsynced.reason, message: `${READY} ${message}` });
  return set(updated, { type: 'Ready', status: 'True', reason: 'DatasetReady', message: READY });
}

/** Fluid's condition that a Dataset cannot be used, or soon no more, and the `Ready` that follows from it. */
export function notReady(before: readonly DatasetCondition[], reason: string, message: string, now: number): readonly DatasetCondition[] {
  const said = withCondition(before, { type: 'NotReady', status: 'True', reason, message }, now, 'lastUpdateTime');
  return withCondition(said, { type: 'Ready', status: 'False', reason, message }, now, 'lastUpdateTime');
}

/** The Dataset has the condition too: readers know the Dataset, not its runtime. */
function withAvailability(conditions: readonly DatasetCondition[], world: World): readonly DatasetCondition[] {
  const unavailable = unavailableOf(world);
  if (unavailable === 'unknown') return conditions;
  return unavailable
    ? withCondition(conditions, { type: UNAVAILABLE, status: 'True', ...unavailable }, world.now, 'lastUpdateTime')
    : withoutCondition(conditions, UNAVAILABLE);
}

const NOT_SERVING: ReadonlySet<string> = new Set(['NotBound', 'Failed'] satisfies DatasetPhase[]);
const READY = 'The ddc runtime is ready.';
