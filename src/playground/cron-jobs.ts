import { controllerClient } from '../api-server/controllers/client.ts';
import type { Done, Task } from '../api-server/controllers/index.ts';
import { isDue, parseSchedule } from '../api-server/cron.ts';
import type { ApiServer } from '../api-server/index.ts';
import { ownerOf } from '../api-server/pods.ts';
import { type Clock, timestamp } from '../kube/clock.ts';
import type { KubeObject } from '../kube/types.ts';

interface CronJobSpec {
  readonly schedule: string;
  readonly timeZone?: string;
  readonly suspend?: boolean;
  readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
  readonly successfulJobsHistoryLimit?: number;
  readonly failedJobsHistoryLimit?: number;
  readonly jobTemplate: { readonly metadata?: Pick<KubeObject['metadata'], 'labels' | 'annotations'>; readonly spec: object };
}
interface JobStatus {
  readonly completionTime?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}
const MINUTE_MS = 60_000;

/** The controller of CronJobs: Jobs start by the minute, and old ones are deleted. A time that passed while the process stood still is left out. */
export function createCronJobs(server: ApiServer, { wall }: Pick<Clock, 'wall'>): Task {
  const client = controllerClient(server, 'kube-controller-manager');

  function work(cronJob: KubeObject): Done {
    const { creationTimestamp = '', deletionTimestamp, name, namespace = '' } = cronJob.metadata;
    if (deletionTimestamp) return false;
    const spec = cronJob['spec'] as unknown as CronJobSpec;
    const jobs = client.ownedBy('Job', cronJob).filter(({ metadata }) => !metadata.deletionTimestamp);
    const active = jobs.filter((job) => endOf(job) === undefined);
    const wasChanged = clean(jobs, spec) || report(cronJob, active, jobs);
    if (wasChanged || spec.suspend) return wasChanged;

    const { lastScheduleTime = creationTimestamp } = (cronJob['status'] ?? {}) as { readonly lastScheduleTime?: string };
    const now = wall();
    const schedule = parseSchedule(spec.schedule);
    const isFree = spec.concurrencyPolicy !== 'Forbid' || active.length === 0;
    if (isFree && isDue(schedule, now, Date.parse(String(lastScheduleTime)), spec.timeZone)) {
      if (spec.concurrencyPolicy === 'Replace') for (const job of active) client.delete(job);
      const at = 'everyMs' in schedule ? now : now - (now % MINUTE_MS);
      client.createFor(cronJob, jobOf(cronJob, spec, { name: `${name}-${Math.floor(at / MINUTE_MS)}`, namespace }, timestamp(at)));
      return client.patch(cronJob, { status: { lastScheduleTime: timestamp(at) } }, 'status');
    }
    return 'everyMs' in schedule ? Math.min(schedule.everyMs, 1_000) : MINUTE_MS - (now % MINUTE_MS);
  }

  function report(cronJob: KubeObject, active: readonly KubeObject[], jobs: readonly KubeObject[]): boolean {
    const ends = jobs.filter((job) => endOf(job) === 'Complete').flatMap((job) => statusOf(job).completionTime ?? []);
    const { lastSuccessfulTime = '' } = (cronJob['status'] ?? {}) as { readonly lastSuccessfulTime?: string };
    const latest = [lastSuccessfulTime, ...ends].toSorted().at(-1);
    const references = active.map(({ apiVersion, kind, metadata: { name, namespace, uid } }) => ({
      apiVersion,
      kind,
      name,
      namespace,
      uid,
    }));
    const status = { active: references.length > 0 ? references : null, ...(latest && { lastSuccessfulTime: latest }) };
    return client.patch(cronJob, { status }, 'status');
  }

  /** Deletes the oldest Jobs that have ended. */
  function clean(jobs: readonly KubeObject[], { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 }: CronJobSpec): boolean {
    const ended = (how: string) => jobs.filter((job) => endOf(job) === how).toSorted((a, b) => ageOf(a).localeCompare(ageOf(b)));
    const [complete, failed] = [ended('Complete'), ended('Failed')];
    const old = [
      ...complete.slice(0, Math.max(0, complete.length - successfulJobsHistoryLimit)),
      ...failed.slice(0, Math.max(0, failed.length - failedJobsHistoryLimit)),
    ];
    for (const job of old) client.delete(job);
    return old.length > 0;
  }

  return { kinds: ['CronJob'], work };
}

/** Rule: `getJobFromTemplate2` of pkg/controller/cronjob. */
function jobOf(cronJob: KubeObject, { jobTemplate }: CronJobSpec, name: { name: string; namespace: string }, time: string): KubeObject {
  const { metadata: { labels, annotations } = {}, spec } = jobTemplate;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...name,
      ...(labels && { labels }),
      annotations: { ...annotations, 'batch.kubernetes.io/cronjob-scheduled-timestamp': time },
      ownerReferences: [ownerOf(cronJob)],
    },
    spec,
  };
}

const statusOf = ({ status }: KubeObject): JobStatus => (status ?? {}) as JobStatus;
/** undefined of one that runs. */
const endOf = (job: KubeObject): string | undefined =>
  statusOf(job).conditions?.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True')?.type;
const ageOf = ({ metadata: { creationTimestamp = '', name } }: KubeObject): string => `${String(creationTimestamp)} ${name}`;
