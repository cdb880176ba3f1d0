import { annotation } from '../../api/index.ts';
import { operationNames } from '../../constructs/operation-names.ts';
import { ignoreNotFound } from '../../kube/errors.ts';
import type { OperationCluster } from './cluster.ts';
import type { Work } from './world.ts';
import type { OperationKey } from '../world.ts';
import type { ClusterContext } from '../kubernetes/cluster-context.ts';
import { ownedKinds } from '../../planning/kinds.ts';
import type { Store } from '../kubernetes/store/store.ts';
import { workOf } from './job-view.ts';

/** The Jobs of an operation that have not ended, and its CronJob. What was created a moment ago is not in the inventory yet. */
export function worksOf(store: Pick<Store, 'live' | 'inventory'>, key: OperationKey, uid: string): readonly Work[] {
  const { namespace } = key;
  const { job } = operationNames(key);
  const scheduled = store.inventory({ uid, namespace }).filter(({ kind }) => kind === 'Job');
  const names = new Set([job, ...scheduled.map(({ metadata }) => metadata.name)]);
  const live = [store.live('CronJob', namespace, job), ...[...names].map((name) => store.live('Job', namespace, name))];
  return live.flatMap((each) => workOf(each, uid) ?? []);
}

/** Whether pods of it may run. */
export const isAtWork = (work: Work | undefined): boolean => work?.kind === 'Job' && work.state !== 'rests';

/**
 * Suspends Jobs and CronJobs, or ends that. An existing Job is never applied again, and a paused CronJob is not applied either: this is one
 * field, with the annotation that says who suspended it. The UID keeps a successor of the same name as it is.
 */
export const suspender = ({ client, store }: ClusterContext): OperationCluster['suspend'] =>
  async function suspend({ namespace }, works, isPaused) {
    const annotations = { [annotation.paused]: isPaused ? 'true' : null };
    for (const { kind, name, uid } of works) {
      const patch = { metadata: { uid, annotations }, spec: { suspend: isPaused } };
      const written = await client.patch(ownedKinds[kind], { namespace, name }, patch, { type: 'merge' }).catch(ignoreNotFound);
      if (written) store.remember(written);
    }
  };
