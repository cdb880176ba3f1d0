import type { Manifest } from '../../../api/index.ts';
import { operationNames } from '../../../constructs/operation-names.ts';
import { ApiError, isAbsent } from '../../../kube/errors.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { OperationCluster } from '../../operations/cluster.ts';
import { isRunning } from '../../operations/status.ts';
import type { OperationObject } from '../../operations/world.ts';
import type { Applier } from '../apply/apply.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { unseen } from '../observe/unseen.ts';
import { outlineOf } from '../plans/bindings.ts';

/** Creates the Job of an operation, after all that the Job needs. */
export const operationApplier = (context: ClusterContext, applier: Applier): OperationCluster['apply'] =>
  async function apply({ key, operation }, dataset, manifests) {
    const { uid = '', generation, creationTimestamp } = operation.metadata;
    const owner = { ...key, uid, creationTimestamp, edition: String(generation) };
    const write = (those: readonly Manifest[]) => applier.apply(owner, those.map(outlineOf), () => context.confirmed([operation, dataset]));
    const jobs = manifests.filter(isJob);
    if (isRunning(operation)) {
      await confirmRunning(context, operation);
      // Fluid created it, without our label. Its scripts are Fluid's, and stay.
      if (await unseen(context, 'Job', owner, operationNames(key).job)) return write(jobs);
    }
    // A Job whose scripts could not be created would wait for ever, or run those of another owner.
    const needs = await write(manifests.filter((manifest) => !isJob(manifest)));
    return needs.failed.length > 0 ? needs : write(jobs);
  };

const isJob = ({ kind }: Manifest): boolean => kind === 'Job' || kind === 'CronJob';

/**
 * Before a Job is created again: its operation may be over or deleted, unseen, and its Job with it.
 *
 * @throws ApiError 409 if the operation is not as it was seen
 */
async function confirmRunning({ client, store }: ClusterContext, operation: OperationObject): Promise<void> {
  const { kind, metadata } = operation;
  const fresh = await client.get(store.typeOf(kind), metadata).catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
  });
  if (fresh?.metadata.resourceVersion === metadata.resourceVersion) return;
  if (fresh) store.remember(fresh);
  // The cast: what is kept of an operation has been parsed.
  else store.forget(operation as unknown as KubeObject);
  throw new ApiError({ method: 'GET', path: 'before a Job is created again' }, 409, `${kind} ${metadata.name} changed unseen`);
}
