import { annotation, label } from '../../../api/index.ts';
import type { JobEnd, JobView, ScheduleView } from '../../operations/world.ts';
import type { LiveObject } from '../../world.ts';
import { controllerOf } from '../store/objects.ts';

interface JobStatus {
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
    readonly lastTransitionTime?: string;
  }[];
}

/** A Job as its operation sees it; undefined if it belongs to another one. `SuccessCriteriaMet` and the like come before the end. */
export function jobView(job: LiveObject | undefined, owner: string): JobView | undefined {
  if (!job || job.metadata.labels?.[label.owner] !== owner) return undefined;
  const { conditions = [] } = (job.status ?? {}) as JobStatus;
  const progressFile = job.metadata.annotations?.[annotation.progressFile];
  const end = conditions.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
  return {
    name: job.metadata.name,
    uid: job.metadata.uid,
    createdAt: job.metadata.creationTimestamp ?? '',
    ...(progressFile !== undefined && { progressFile }),
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

/** A CronJob as its operation sees it; undefined if it belongs to another one. */
export function scheduleView(live: LiveObject | undefined, owner: string): ScheduleView | undefined {
  if (!live || live.metadata.labels?.[label.owner] !== owner) return undefined;
  const { lastScheduleTime, lastSuccessfulTime } = (live.status ?? {}) as Partial<ScheduleView>;
  return {
    name: live.metadata.name,
    uid: live.metadata.uid,
    ...(lastScheduleTime && { lastScheduleTime }),
    ...(lastSuccessfulTime && { lastSuccessfulTime }),
  };
}

/** The latest Job that a CronJob created. */
export const latestOf = (schedule: ScheduleView | undefined, inventory: readonly LiveObject[]): LiveObject | undefined =>
  inventory
    .filter((each) => each.kind === 'Job' && controllerOf(each)?.uid === schedule?.uid)
    .toSorted((a, b) => ageOf(b).localeCompare(ageOf(a)))[0];
const ageOf = ({ metadata: { creationTimestamp = '', name } }: LiveObject): string => `${creationTimestamp}/${name}`;
