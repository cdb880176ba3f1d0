import { NO_PODS_MS } from '../../operations/no-pods.ts';
import { type Key, type LiveObject, ROLES, type World } from '../../world.ts';
import type { Role } from '../../../constructs/index.ts';
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
 * Why Kubernetes creates no pods of workloads, as it said last: asked for every minute. Masters and workers are asked about when they have no
 * pod a minute after they were created, or lack some while all others are ready; fuse pods when one has been lacking for a minute, since
 * nodes come at any time. A new answer wakes the key.
 */
export function refusedWorkloads(context: ClusterContext, { now, key, uid, workloads, workload }: Asked): Answer {
  const { client, clock, jobs, fuseLacks, wake } = context;
  const { namespace } = key;
  const refusals: Partial<Record<Role, { readonly why?: string }>> = {};
  const againMs: number[] = [];
  const { fuse } = workloads;
  if (!fuse || fuse.current >= fuse.desired) fuseLacks.delete(uid);
  else if (!fuseLacks.has(uid)) fuseLacks.set(uid, clock.monotonic());
  for (const role of ROLES) {
    const view = workloads[role];
    const live = workload(role);
    if (!view || !live || view.current >= view.desired) continue;
    refusals[role] = {};
    if (role !== 'fuse' && view.ready < view.current) continue;
    const lackedMs =
      role === 'fuse' ? clock.monotonic() - (fuseLacks.get(uid) ?? 0) : now - Date.parse(live.metadata.creationTimestamp ?? '');
    const leftMs = NO_PODS_MS - lackedMs;
    againMs.push(leftMs > 0 ? Math.min(leftMs, NO_PODS_MS) : NO_PODS_MS);
    if (leftMs > 0) continue;
    const due = { namespace, version: live.metadata.uid, everyMs: NO_PODS_MS };
    const ask = () => refusedPods(client, { namespace, uid: live.metadata.uid });
    const { value, endedAt } = jobs.ask<string | undefined>(`${uid}/${role}/refusal`, due, ask, () => wake(key));
    if (value !== undefined) refusals[role] = { why: value };
    else if (endedAt !== undefined) delete refusals[role];
  }
  return { refusals, againMs };
}
