import type { Role } from '../../../constructs/index.ts';
import { NO_PODS_MS } from '../../operations/no-pods.ts';
import type { Key, LiveObject, World } from '../../world.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { refusedPods } from './refused-pods.ts';

interface Asked {
  readonly now: number;
  readonly key: Key;
  /** UID of the runtime. */
  readonly uid: string;
  readonly workloads: World['workloads'];
  readonly workload: (role: Role) => LiveObject | undefined;
}
interface Answer {
  readonly refusals: NonNullable<World['refusals']>;
  /** When to ask again, or for the first time. */
  readonly againMs: readonly number[];
}

/**
 * Why Kubernetes creates no pods of masters or workers, as it said last: asked for every minute, of those that have no pod a minute after
 * they were created, and of those that lack some while all others are ready. A new answer wakes the key.
 */
export function refusedWorkloads(context: ClusterContext, { now, key, uid, workloads, workload }: Asked): Answer {
  const { client, jobs, wake } = context;
  const { namespace } = key;
  const refusals: Partial<Record<Role, string>> = {};
  const againMs: number[] = [];
  for (const role of ['master', 'worker'] as const) {
    const view = workloads[role];
    const live = workload(role);
    if (!view || !live || view.current >= view.desired || view.ready < view.current) continue;
    const leftMs = NO_PODS_MS - (now - Date.parse(live.metadata.creationTimestamp ?? ''));
    againMs.push(leftMs > 0 ? Math.min(leftMs, NO_PODS_MS) : NO_PODS_MS);
    if (leftMs > 0) continue;
    const due = { namespace, version: live.metadata.uid, everyMs: NO_PODS_MS };
    const ask = () => refusedPods(client, { namespace, uid: live.metadata.uid });
    const { value } = jobs.ask<string | undefined>(`${uid}/${role}/refusal`, due, ask, () => wake(key));
    if (value !== undefined) refusals[role] = value;
  }
  return { refusals, againMs };
}
