import { keptText } from '../status/kept.ts';
import type { Hold } from '../world.ts';
import type { OperationCluster } from './cluster.ts';
import type { JobView, OperationWorld } from './world.ts';

/** How long Kubernetes may take to create the pods of an object, and how often the reason is asked for. */
export const NO_PODS_MS = 60_000;

export interface RunTrouble {
  /** What is wrong; `asking`: what was reported before holds until the answer comes. */
  readonly hold?: Hold | 'asking';
  /** Nothing else may wake the operation until then. */
  readonly afterMs?: number;
}

/**
 * Whether a Job, or a workload that helps it, lacks pods for longer than Kubernetes takes, and what Kubernetes says of that; or whether one of
 * them, or the CronJob, is being deleted.
 */
export function runTroubleOf(cluster: Pick<OperationCluster, 'podRefusal'>, world: OperationWorld, job: JobView | undefined): RunTrouble {
  const going = [world.schedule, ...(job && !job.end ? [job, ...(world.helpers ?? [])] : [])];
  const kept = going.flatMap((each) => each?.kept ?? []);
  if (kept.length > 0) return { afterMs: NO_PODS_MS, hold: { reason: 'Deleting', message: keptText(kept) ?? '' } };
  if (!job || job.end) return {};
  const lacking = job.noPods ? { ...job, kind: 'Job', lacks: 'no pod' } : world.helpers?.find(({ lacks }) => lacks !== undefined);
  if (!lacking) return {};
  // A schedule keeps its helpers, and scales them from 0 for each Job.
  const since = Math.max(Date.parse(job.createdAt), Date.parse(lacking.createdAt));
  const leftMs = NO_PODS_MS - (world.now - since);
  if (leftMs > 0) return { afterMs: Math.min(leftMs, NO_PODS_MS) };
  const again = { afterMs: NO_PODS_MS };
  const refusal = cluster.podRefusal(world, lacking);
  if (refusal === 'asking') return { ...again, hold: refusal };
  // Kubernetes waits for minutes before it replaces a pod that failed.
  if (refusal === undefined && job.noPods === 'now') return again;
  const { kind, name, lacks } = lacking;
  const why = refusal ?? `no event says why: is kube-controller-manager running? See \`kubectl describe ${kind.toLowerCase()} ${name}\``;
  return { ...again, hold: { reason: 'NoPods', message: `${kind} ${name} has ${lacks}: ${why}` } };
}
