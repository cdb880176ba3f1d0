import { controllerOf, label, ownerUid } from '../../../api/index.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { ownedKinds } from '../kinds.ts';
import { unseen } from '../observe/unseen.ts';
import type { Owner } from '../store/owner.ts';

/** A CronJob keeps four Jobs that have ended, by default, and one that runs. */
const MOST_JOBS = 50;

/**
 * Labels the Jobs of a CronJob that Fluid created, so that watches show them: the operation goes on with the one that runs, and shows the
 * last. It comes before the label of the CronJob, by which the next process would see that nothing is left to do.
 */
export async function adoptSchedule(context: Pick<ClusterContext, 'client' | 'store'>, owner: Owner, name: string): Promise<void> {
  const { client, store } = context;
  const cronJob = await unseen(context, 'CronJob', owner, name);
  if (!cronJob) return;
  // Fluid's templates have this label, and Kubernetes gives it to their Jobs.
  const { items } = await client.list(ownedKinds.Job, { namespace: owner.namespace, labelSelector: `cronjob=${name}`, limit: MOST_JOBS });
  for (const { metadata } of items) {
    if (controllerOf({ metadata })?.uid !== cronJob.metadata.uid || ownerUid({ metadata }) === owner.uid) continue;
    const patch = { metadata: { uid: metadata.uid, labels: { [label.owner]: owner.uid } } };
    store.remember(await client.patch(ownedKinds.Job, { namespace: owner.namespace, name: metadata.name }, patch, { type: 'merge' }));
  }
}
