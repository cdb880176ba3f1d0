import { operationNames } from '../../../constructs/operation-names.ts';
import { datasetsOf, operationKeyOf } from '../../operations/references.ts';
import type { Key, LiveObject } from '../../world.ts';
import { jobView } from '../operations/job-view.ts';
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
  for (const operation of operations.values()) {
    const { namespace = '', uid = '' } = operation.metadata;
    if (!MOUNTING.has(operation.kind) || namespace !== key.namespace || !datasetsOf(operation).some(({ name }) => name === key.name))
      continue;
    const cronJob = live('CronJob', namespace, operationNames(operationKeyOf(operation)).job);
    if (cronJob && inventory({ uid, namespace }).includes(cronJob)) found.push(cronJob);
    const isReported = operation.status?.phase === 'Complete' || operation.status?.phase === 'Failed';
    if (isReported) found.push(...inventory({ uid, namespace }).filter((each) => each.kind === 'Job' && jobView(each, uid)?.end));
  }
  return found;
}
