import { annotation, label } from '../../../api/index.ts';
import type { JobEnd, JobView } from '../../operations/world.ts';
import type { LiveObject } from '../../world.ts';

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
