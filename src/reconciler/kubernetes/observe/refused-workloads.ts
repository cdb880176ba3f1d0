import { NO_PODS_MS } from '../../operations/report.ts';
import { type Key, type LiveObject, ROLES, type World } from '../../world.ts';
import type { Role } from '../../../constructs/index.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { refusedPods } from './refused-pods.ts';

interface Asked {
  /** Milliseconds since the epoch. */
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
  readonly afterMs: readonly number[];
}

/**
 * Why Kubernetes creates no pods of workloads, as it said last: asked for every minute, of a workload that has lacked pods for a minute; of
 * masters and workers only while all others are ready. A new answer wakes the key.
 */
export function refusedWorkloads(context: ClusterContext, { now, key, uid, workloads, workload }: Asked): Answer {
  const { client, clock, jobs, lacksSince, wake } = context;
  const { namespace } = key;
  const refusals: Partial<Record<Role, { readonly why?: string }>> = {};
  const afterMs: number[] = [];
  const before = lacksSince.get(uid);
  const lacking = ROLES.filter((role) => workloads[role] && workloads[role].current < workloads[role].desired);
  if (lacking.length === 0) {
    if (before !== NONE) lacksSince.set(uid, NONE);
    return { refusals, afterMs };
  }
  const at = clock.monotonic();
  const since = new Map<string, number>();
  for (const role of lacking) {
    const view = workloads[role];
    const live = workload(role);
    if (!view || !live) continue;
    const from = before ? (before.get(live.metadata.uid) ?? at) : at - ageMs(live, now, view.current);
    since.set(live.metadata.uid, from);
    if (role !== 'fuse' && view.ready < view.current) continue;
    refusals[role] = {};
    const leftMs = NO_PODS_MS - (at - from);
    afterMs.push(leftMs > 0 ? leftMs : NO_PODS_MS);
    if (leftMs > 0) continue;
    const due = { namespace, version: live.metadata.uid, everyMs: NO_PODS_MS };
    const ask = () => refusedPods(client, { namespace, uid: live.metadata.uid });
    const { value, endedAt } = jobs.ask<string | undefined>(`${uid}/${role}/refusal`, due, ask, () => wake(key));
    if (value !== undefined) refusals[role] = { why: value };
    else if (endedAt !== undefined) delete refusals[role];
  }
  lacksSince.set(uid, since);
  return { refusals, afterMs };
}

/** No workload lacks pods. */
const NONE: ReadonlyMap<string, number> = new Map();

/** For how long a workload that this process has not seen before may have lacked pods: one without any, since it exists. */
function ageMs({ kind, metadata }: LiveObject, now: number, current: number): number {
  if (kind === 'DaemonSet' || current > 0) return 0;
  return Math.max(0, now - Date.parse(metadata.creationTimestamp ?? '')) || 0;
}
