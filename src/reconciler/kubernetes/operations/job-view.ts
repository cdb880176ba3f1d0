import { label } from '../../../api/index.ts';
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
  readonly failed?: number;
}

/** A Job as its operation sees it; undefined if it belongs to another one. `SuccessCriteriaMet` and the like come before the end. */
export function jobView(job: LiveObject | undefined, owner: string): JobView | undefined {
  if (!job || job.metadata.labels?.[label.owner] !== owner) return undefined;
  const { conditions = [], failed = 0 } = (job.status ?? {}) as JobStatus;
  const end = conditions.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
  return {
    name: job.metadata.name,
    uid: job.metadata.uid,
    failed,
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
