import { annotation, controllerOf, label, type Manifest, ownerUid } from '../../api/index.ts';
import { operationNames } from '../../constructs/operation-names.ts';
import type { OperationCluster } from './cluster.ts';
import { attempt } from '../failures.ts';
import { nothingApplied } from '../world.ts';
import { isRunning, retryOf } from './state.ts';
import type { OperationWorld } from './world.ts';
import type { Applier } from '../kubernetes/apply/apply.ts';
import { confirm, isSameVersion } from '../kubernetes/apply/fresh.ts';
import type { ClusterContext } from '../kubernetes/cluster-context.ts';
import { unlabelled } from '../takeover/unlabelled.ts';
import { desiredObjectOf } from '../../planning/bindings.ts';
import type { Owned } from '../../planning/owner.ts';
import { ownedKinds, ownedType } from '../../planning/kinds.ts';
import type { KubeObject } from '../../kube/types.ts';
import { helpersOf } from './job-view.ts';
import { deleteSshKeys } from './ssh-keys.ts';
import { deleteByUid } from '../kubernetes/apply/deletion.ts';
import { ignoreNotFound } from '../../kube/errors.ts';

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
    const job = await unlabelled(context, 'Job', owner, operationNames(key).job);
    if (!job) return written;
    context.store.found(job);
    return write(jobs);
  };

/** A Job says which run it is, even if its operation changes: the operation's status is written after the Job was created. */
function marked(manifest: Manifest, { operation, mounts }: OperationWorld): Manifest {
  const retry = retryOf(operation);
  const seen = { ...(retry && { [annotation.retry]: retry }), ...(mounts && { [annotation.observedMounts]: mounts.digest }) };
  const { metadata } = manifest;
  if (manifest.kind !== 'Job' || Object.keys(seen).length === 0) return manifest;
  return { ...manifest, metadata: { ...metadata, annotations: { ...metadata.annotations, ...seen } } };
}

const isJob = ({ kind }: Manifest): boolean => kind === 'Job' || kind === 'CronJob';

type Where = Pick<ClusterContext, 'client' | 'store'>;

/** Labels the Job of an operation, if it exists, so that watches show it. What runs in it stays as it is. */
export async function adoptJob(context: Where, owner: Owned, name: string): Promise<void> {
  const job = await unlabelled(context, 'Job', owner, name);
  if (job && ownerUid(job) === owner.uid) context.store.found(job);
  else if (job) await take(context, owner, job);
}

/** A CronJob keeps four Jobs that have ended, by default, and one that runs. */
const MOST_JOBS = 50;

/**
 * Labels the Jobs of a CronJob that Fluid created, so that watches show them: the operation goes on with the one that runs, and shows the
 * last. It comes before the label of the CronJob, by which the next process would see that nothing is left to do.
 */
async function adoptSchedule(context: Where, owner: Owned, name: string): Promise<void> {
  const cronJob = await unlabelled(context, 'CronJob', owner, name);
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

/** Deletes the pods that helped the Job of an operation, their names and their keys. */
export const runEnder = (context: Pick<ClusterContext, 'client' | 'store'>): OperationCluster['endRun'] =>
  async function endRun({ key, operation }, kept = []) {
    const { client, store } = context;
    const owner = { ...key, uid: operation.metadata.uid ?? '' };
    const all = helpersOf(store, operation);
    const own = all.filter((each) => !kept.some(({ kind, metadata }) => kind === each.kind && metadata.name === each.metadata.name));
    if (kept.length > 0 && own.length === 0) return;
    const { parallelism = 1 } = operation.spec as { parallelism?: number };
    const helpers = own.length > 0 || parallelism <= 1 ? own : await fluids();
    if (helpers.length === 0 && parallelism <= 1) return;
    // First: it is not watched, and the others say that it may exist.
    if (!kept.some(({ kind }) => kind === 'Secret')) await deleteSshKeys(client, owner);
    for (const { kind, metadata, ...rest } of helpers) {
      await deleteByUid(client, ownedType(kind), { namespace: key.namespace, name: metadata.name }, metadata.uid);
      // The next run must not take it for its own, however late the watch is.
      store.forget({ ...rest, kind, metadata });
    }

    /** Without our label: Fluid created them, and was stopped while they worked. */
    async function fluids() {
      const { workers: name } = operationNames(key);
      const found = await Promise.all((['StatefulSet', 'Service'] as const).map((kind) => unlabelled(context, kind, owner, name)));
      return found.flatMap((each, i) => (each ? { ...each, kind: i === 0 ? 'StatefulSet' : 'Service' } : []));
    }
  };

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
