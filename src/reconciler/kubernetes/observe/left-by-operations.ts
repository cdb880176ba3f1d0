import { ownerUid } from '../../../api/index.ts';
import { operationNames } from '../../../constructs/operation-names.ts';
import { operationKeyOf } from '../../operations/references.ts';
import { adoptJob } from '../../operations/objects.ts';
import { isDone } from '../../operations/state.ts';
import type { PodKeepingClaim } from '../../teardown-steps.ts';
import type { OperationObject } from '../../operations/world.ts';
import type { Key, LiveObject } from '../../world.ts';
import { helpersOf, isAtWork, jobView, worksOf } from '../../operations/job-view.ts';
import type { ClusterContext } from '../cluster-context.ts';
import type { Store } from '../store/store.ts';

/** Kinds whose pods may mount the claim. */
const MOUNTING: ReadonlySet<string> = new Set(['DataProcess', 'DataMigrate']);

/**
 * Jobs that have ended, and schedules, of operations on a Dataset. Kubernetes keeps a claim for pods that have ended, and these pods
 * stay for as long as their operation, which goes only after the Dataset. What the operation did is in its status.
 */
export function leftByOperations(
  { operations, inventory, live }: Pick<Store, 'operations' | 'inventory' | 'live'>,
  key: Key,
): readonly LiveObject[] {
  const found: LiveObject[] = [];
  for (const operation of mounting(operations, key)) {
    const { namespace = '', uid = '' } = operation.metadata;
    const cronJob = live('CronJob', namespace, operationNames(operationKeyOf(operation)).job);
    if (cronJob && inventory({ uid, namespace }).includes(cronJob)) found.push(cronJob);
    if (isDone(operation)) found.push(...inventory({ uid, namespace }).filter((each) => each.kind === 'Job' && jobView(each, uid)?.end));
  }
  return found;
}

/**
 * Labels the Jobs that Fluid ran for operations on a Dataset that are done, where their ended pods keep its claim: no watch shows them,
 * since nothing looks at an operation that is done.
 */
export async function adoptJobsOfEnded(
  context: Pick<ClusterContext, 'client' | 'store'>,
  key: Key,
  ended: readonly PodKeepingClaim[],
): Promise<void> {
  const { operations, live } = context.store;
  const jobs = new Set(ended.flatMap(({ job }) => (job === undefined || live('Job', key.namespace, job) ? [] : [job])));
  if (jobs.size === 0) return;
  for (const operation of mounting(operations, key)) {
    const { job } = operationNames(operationKeyOf(operation));
    const { namespace = '', name, uid = '' } = operation.metadata;
    if (namespace === key.namespace && isDone(operation) && jobs.has(job)) await adoptJob(context, { uid, namespace, name }, job);
  }
}

/**
 * Workloads that help Jobs, of operations on a Dataset none of whose Jobs is at work: no end of a run deletes them. Their Services stay, and
 * say that there may be keys too.
 */
export const idleHelpers = (store: Pick<Store, 'operations' | 'inventory' | 'live'>, key: Key): readonly LiveObject[] =>
  mounting(store.operations, key).flatMap((operation) =>
    worksOf(store, operationKeyOf(operation), operation.metadata.uid ?? '').some(isAtWork)
      ? []
      : helpersOf(store, operation).filter(({ kind }) => kind === 'StatefulSet'),
  );

/** Ended pods with the operations of their Jobs, on any Dataset: a user has to delete these operations. */
export function withOperations(
  { operations, live }: Pick<Store, 'operations' | 'live'>,
  namespace: string,
  ended: readonly PodKeepingClaim[],
): readonly PodKeepingClaim[] {
  const ownerOf = (job: string | undefined) => {
    const object = job === undefined ? undefined : live('Job', namespace, job);
    return object && ownerUid(object);
  };
  const owners = ended.map(({ job }) => ownerOf(job));
  const names = new Map<string, string>();
  if (owners.some((uid) => uid !== undefined))
    for (const { kind, metadata } of operations.values())
      if (metadata.namespace === namespace) names.set(metadata.uid ?? '', `${kind} ${metadata.name}`);
  return ended.map((pod, i) => {
    const operation = names.get(owners[i] ?? '');
    return operation === undefined ? pod : { ...pod, operation };
  });
}

const mounting = (operations: Store['operations'], key: Key): readonly OperationObject[] =>
  operations.on(key).filter(({ kind }) => MOUNTING.has(kind));
