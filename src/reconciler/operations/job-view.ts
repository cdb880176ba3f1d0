import { annotation, isOwnedBy, ownerUid } from '../../api/index.ts';
import type { HelperView, JobEnd, JobView, OperationObject, ScheduleView, Work } from './world.ts';
import { keptOf } from '../status/kept.ts';
import type { LiveObject, OperationKey } from '../world.ts';
import { workloadView } from '../../planning/views.ts';
import { operationNames } from '../../constructs/operation-names.ts';
import type { Store } from '../kubernetes/store/store.ts';

interface JobStatus {
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
    readonly lastTransitionTime?: string;
  }[];
  readonly active?: number;
  readonly terminating?: number;
  readonly failed?: number;
  readonly succeeded?: number;
}
const statusOf = ({ status }: LiveObject): JobStatus => (status ?? {}) as JobStatus;

/**
 * A Job as its operation sees it; undefined if it belongs to another one. `SuccessCriteriaMet` and the like come before the end.
 * threat-model: R-job
 */
export function jobView(job: LiveObject | undefined, owner: string): JobView | undefined {
  if (!job || ownerUid(job) !== owner) return undefined;
  const { conditions = [] } = statusOf(job);
  const {
    [annotation.progressFile]: progressFile,
    [annotation.retry]: retry,
    [annotation.observedMounts]: mounts,
  } = job.metadata.annotations ?? {};
  const end = conditions.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
  const noPods = lackOf(job);
  const [kept] = keptOf(job);
  return {
    name: job.metadata.name,
    uid: job.metadata.uid,
    createdAt: job.metadata.creationTimestamp ?? '',
    ...(progressFile !== undefined && { progressFile }),
    ...(retry !== undefined && { retry }),
    ...(mounts !== undefined && { mounts }),
    ...(noPods && { noPods }),
    ...(kept && { kept }),
    ...(end && {
      end: {
        type: end.type as JobEnd['type'],
        reason: end.reason ?? '',
        message: end.message ?? '',
        at: end.lastTransitionTime ?? new Date(0).toISOString(),
      },
    }),
  };
}

/** A suspended Job wants no pods. */
function lackOf(job: LiveObject): JobView['noPods'] {
  const { active = 0, terminating = 0, failed = 0, succeeded = 0 } = statusOf(job);
  if (active + terminating > 0 || (job.spec as { suspend?: boolean } | undefined)?.suspend) return undefined;
  return failed + succeeded > 0 ? 'now' : 'yet';
}

/** A workload that helps a Job; nothing for other kinds, which have no pods. */
export function helperView(live: LiveObject): readonly HelperView[] {
  const { kind, metadata } = live;
  if (kind !== 'StatefulSet') return [];
  const { desired, current } = workloadView(live, []);
  const { name, uid, creationTimestamp: createdAt = '' } = metadata;
  const [kept] = keptOf(live);
  return [{ kind, name, uid, createdAt, ...(kept && { kept }), ...(current < desired && { lacks: `${current} of ${desired} pods` }) }];
}

/** A CronJob as its operation sees it; undefined if it belongs to another one. */
export function scheduleView(live: LiveObject | undefined, owner: string): ScheduleView | undefined {
  if (!live || ownerUid(live) !== owner) return undefined;
  const { lastScheduleTime, lastSuccessfulTime } = (live.status ?? {}) as Partial<ScheduleView>;
  const [kept] = keptOf(live);
  return {
    name: live.metadata.name,
    uid: live.metadata.uid,
    ...(kept && { kept }),
    ...(lastScheduleTime && { lastScheduleTime }),
    ...(lastSuccessfulTime && { lastSuccessfulTime }),
  };
}

/** The work that a pause suspends; undefined if it belongs to another operation, or has ended. */
export function workOf(live: LiveObject | undefined, owner: string): Work | undefined {
  if (!live) return undefined;
  const { kind, metadata } = live;
  const { name, uid } = metadata;
  if (kind === 'CronJob') return scheduleView(live, owner) && { kind, name, uid, state: isPaused(live) ? 'rests' : 'goes' };
  if (kind !== 'Job' || !isUnfinished(jobView(live, owner))) return undefined;
  return { kind, name, uid, state: !isPaused(live) ? 'goes' : hasPods(live) ? 'stops' : 'rests' };
}
const isUnfinished = (view: JobView | undefined): boolean => view !== undefined && !view.end;
/** Others suspend Jobs too, and end that when it suits them. threat-model: R-job */
const isPaused = ({ metadata, spec }: LiveObject): boolean =>
  metadata.annotations?.[annotation.paused] === 'true' && (spec as { suspend?: boolean } | undefined)?.suspend === true;
/** Until the Job controller says that it has suspended the Job, a pod may start. */
const hasPods = (job: LiveObject): boolean => {
  const { conditions = [], active = 0, terminating = 0 } = statusOf(job);
  return active + terminating > 0 || !conditions.some(({ type, status }) => type === 'Suspended' && status === 'True');
};

/** The latest Job of a CronJob: `kubectl create job --from` makes one too, which has the CronJob as an owner that does not control it. */
export const latestOf = (schedule: ScheduleView | undefined, inventory: readonly LiveObject[]): LiveObject | undefined =>
  inventory.filter((each) => each.kind === 'Job' && isOwnedBy(each, schedule?.uid)).toSorted((a, b) => ageOf(b).localeCompare(ageOf(a)))[0];
const ageOf = ({ metadata: { creationTimestamp = '', name } }: LiveObject): string => `${creationTimestamp}/${name}`;

/** The Jobs of an operation that have not ended, and its CronJob. What was created a moment ago is not in the inventory yet. */
export function worksOf(store: Pick<Store, 'live' | 'inventory'>, key: OperationKey, uid: string): readonly Work[] {
  const { namespace } = key;
  const { job } = operationNames(key);
  const scheduled = store.inventory({ uid, namespace }).filter(({ kind }) => kind === 'Job');
  const names = new Set([job, ...scheduled.map(({ metadata }) => metadata.name)]);
  const live = [store.live('CronJob', namespace, job), ...[...names].map((name) => store.live('Job', namespace, name))];
  return live.flatMap((each) => workOf(each, uid) ?? []);
}

/** Whether pods of it may run. */
export const isAtWork = (work: Work | undefined): boolean => work?.kind === 'Job' && work.state !== 'rests';

/** Kinds that say what an operation did, or will do next. */
const STAYING: ReadonlySet<string> = new Set(['Job', 'CronJob', 'ConfigMap']);

/** Objects that serve a run of an operation only, as far as the watches show them: all but its keys. */
export const helpersOf = ({ inventory }: Pick<Store, 'inventory'>, { metadata: { namespace = '', uid = '' } }: OperationObject) =>
  inventory({ namespace, uid }).filter(({ kind }) => !STAYING.has(kind));
