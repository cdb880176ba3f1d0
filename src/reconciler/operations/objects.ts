import { annotation, type Manifest } from '../../api/index.ts';
import { operationNames } from '../../constructs/operation-names.ts';
import type { OperationCluster } from './cluster.ts';
import { attempt } from '../failures.ts';
import { nothingApplied } from '../world.ts';
import { retryOf } from './requests.ts';
import { isRunning } from './status.ts';
import type { OperationWorld } from './world.ts';
import type { Applier } from '../kubernetes/apply/apply.ts';
import { confirm, isSameVersion } from '../kubernetes/apply/fresh.ts';
import type { ClusterContext } from '../kubernetes/cluster-context.ts';
import { unseen } from '../kubernetes/observe/unseen.ts';
import { desiredObjectOf } from '../../planning/bindings.ts';
import { adoptSchedule } from './adopt.ts';

/** Creates the Job of an operation, after all that the Job needs. */
export const operationApplier = (context: ClusterContext, applier: Applier): OperationCluster['apply'] =>
  async function apply(world, dataset, manifests) {
    const { key, operation } = world;
    const { uid = '', generation, creationTimestamp } = operation.metadata;
    const owner = { ...key, uid, creationTimestamp, edition: String(generation) };
    const write = (those: readonly Manifest[]) =>
      applier.apply(owner, those.map(desiredObjectOf), () => context.confirmed([operation, dataset]));
    const jobs = manifests.filter(isJob).map((manifest) => marked(manifest, world));
    const { job: name } = operationNames(key);
    const isMissing = ({ kind, metadata }: Pick<Manifest, 'kind' | 'metadata'>) => !context.store.live(kind, key.namespace, metadata.name);
    const hasSchedule = operation.spec.policy === 'Cron' && !!operation.status?.phase;
    // Before a Job is created again, or what its schedule needs: the operation may be over or deleted, unseen, and these with it.
    const isAgain = hasSchedule
      ? manifests.some((manifest) => manifest.kind !== 'Secret' && isMissing(manifest))
      : isRunning(operation) && operation.spec.policy !== 'Cron';
    if (isAgain) await confirm(context.client, context.store, [operation], isSameVersion);
    // One that has reported before, and has no CronJob that a watch shows: Fluid's may be there.
    if (hasSchedule && isMissing({ kind: 'CronJob', metadata: { name } })) {
      const failed = await attempt('UpdateFailed', `CronJob/${name}`, () => adoptSchedule(context, owner, name));
      if (failed.length > 0) return { ...nothingApplied, failed };
    }
    // A Job whose scripts could not be created would wait for ever, or run those of another owner.
    const needs = await write(manifests.filter((manifest) => !isJob(manifest)));
    if (needs.failed.length > 0) return needs;
    const written = await write(jobs);
    if (written.failed.length === 0 || operation.spec.policy === 'Cron') return written;
    // The answer may be lost and the watch behind: an operation that seems to be refused would let others start beside its Job.
    const job = await unseen(context, 'Job', owner, operationNames(key).job);
    if (!job) return written;
    context.store.found(job);
    return write(jobs);
  };

/** A Job says which run it is, whatever changes later: the status of its operation is written after it was created. */
function marked(manifest: Manifest, { operation, mounts }: OperationWorld): Manifest {
  const retry = retryOf(operation);
  const seen = { ...(retry && { [annotation.retry]: retry }), ...(mounts && { [annotation.observedMounts]: mounts.digest }) };
  const { metadata } = manifest;
  if (manifest.kind !== 'Job' || Object.keys(seen).length === 0) return manifest;
  return { ...manifest, metadata: { ...metadata, annotations: { ...metadata.annotations, ...seen } } };
}

const isJob = ({ kind }: Manifest): boolean => kind === 'Job' || kind === 'CronJob';
