import { controllerOf, label, ownerUid } from '../../api/index.ts';
import type { ClusterContext } from '../kubernetes/cluster-context.ts';
import type { KubeObject } from '../../kube/types.ts';
import { ownedKinds } from '../../planning/kinds.ts';
import { unseen } from '../kubernetes/observe/unseen.ts';
import type { Owned } from '../../planning/owner.ts';

type Where = Pick<ClusterContext, 'client' | 'store'>;

/** Labels the Job of an operation, if it exists, so that watches show it. What runs in it stays as it is. */
export async function adoptJob(context: Where, owner: Owned, name: string): Promise<void> {
  const job = await unseen(context, 'Job', owner, name);
  if (job && ownerUid(job) === owner.uid) context.store.found(job);
  else if (job) await take(context, owner, job);
}

/** A CronJob keeps four Jobs that have ended, by default, and one that runs. */
const MOST_JOBS = 50;

/**
 * Labels the Jobs of a CronJob that Fluid created, so that watches show them: the operation goes on with the one that runs, and shows the
 * last. It comes before the label of the CronJob, by which the next process would see that nothing is left to do.
 */
export async function adoptSchedule(context: Where, owner: Owned, name: string): Promise<void> {
  const cronJob = await unseen(context, 'CronJob', owner, name);
  if (!cronJob) return;
  // Fluid's templates have this label, and Kubernetes gives it to their Jobs.
  const where = { namespace: owner.namespace, labelSelector: `cronjob=${name}`, limit: MOST_JOBS };
  const { items } = await context.client.list(ownedKinds.Job, where);
  for (const job of items)
    if (controllerOf(job)?.uid === cronJob.metadata.uid && ownerUid(job) !== owner.uid) await take(context, owner, job);
}

async function take({ client, store }: Where, { uid, namespace }: Owned, { metadata }: KubeObject): Promise<void> {
  const patch = { metadata: { uid: metadata.uid, labels: { [label.owner]: uid } } };
  store.remember(await client.patch(ownedKinds.Job, { namespace, name: metadata.name }, patch, { type: 'merge' }));
}
