import { annotation, Dataset, type DatasetStatus, fuseNodeLabel, runtimeFinalizer } from '../../api/index.ts';
import { systemClock } from '../../kube/clock.ts';
import { redactedText } from '../../api/redact.ts';
import type { Cluster } from '../cluster.ts';
import type { OperationCluster } from '../operations/cluster.ts';
import { type DesiredObject, type Key, keyOf, keyText, type OperationKey, type RuntimeObject, type World } from '../world.ts';
import { createApplier } from './apply/apply.ts';
import { createClaimBinding } from './apply/claim-binding.ts';
import { claimReference } from './apply/claim-binding.ts';
import { deleter } from './apply/deletion.ts';
import { confirm, sourcesOf } from './apply/fresh.ts';
import { createFormerSecrets } from './apply/former-secrets.ts';
import { createFuseConfig } from './apply/fuse-config.ts';
import { leftVolumes } from './apply/left-volumes.ts';
import { keptForOutdatedPods } from './apply/kept-for-outdated-pods.ts';
import { marker } from './apply/marks.ts';
import { referenceWriter } from './apply/reference-writer.ts';
import { restoredRemover } from './apply/restored.ts';
import { userObjects } from './apply/user-objects.ts';
import { createPodTakeover } from '../takeover/pods.ts';
import { createWorkloadTakeover } from '../takeover/workloads.ts';
import type { ClusterContext, KubernetesClusterOptions } from './cluster-context.ts';
import { createJobs } from './commands/jobs.ts';
import { createMountTries } from './commands/mount-tries.ts';
import { runtimeCommands } from './commands/runtime-commands.ts';
import { typeOf } from '../../planning/kinds.ts';
import { createClaimUsers } from './observe/claim-users.ts';
import { createRecentCrashes } from './observe/recent-crashes.ts';
import { createRecounts } from './observe/recounts.ts';
import { datasetRef } from './observe/dataset-ref.ts';
import { observer } from './observe/observe.ts';
import { teardownObserver } from './observe/observe-teardown.ts';
import { createMountsClock } from '../operations/mounts-clock.ts';
import { withRuntimeHealth } from '../status/health.ts';
import { operationCluster } from '../operations/operation-cluster.ts';
import { createRunningOn } from '../operations/running-on.ts';
import { createBindings } from '../../planning/bindings.ts';
import { createLookups } from './plans/lookups.ts';
import { portAllocator } from '../../planning/ports.ts';

export interface KubernetesCluster extends Cluster {
  readonly operations: OperationCluster;
  /**
   * A runtime or an operation was deleted, whether or not this process took it down: the next pass over its key first drops all that is kept
   * for it.
   */
  gone(key: Key | OperationKey, uid: string): void;
}

/** The cluster of a leader: reads from the watches, writes through the client. */
export function kubernetesCluster(options: KubernetesClusterOptions): KubernetesCluster {
  const context = contextOf(options);
  const { client, store, labeler, events, log, wake, clock, users, confirmed, takeover } = context;
  const applier = createApplier(client, store, log, clock);
  const fuseConfig = createFuseConfig(context);
  const teardown = teardownObserver(context);
  const marks = marker(context);
  const references = referenceWriter(context);
  const commands = runtimeCommands(context);
  const claims = createClaimBinding(context);
  const remove = deleter(context);
  const formerSecrets = createFormerSecrets(context);
  const departed = createDeparted(forget);

  /** Drops all that this process keeps for a runtime. */
  function forget(uid: string): void {
    for (const kept of [
      context.mountTries,
      context.recounts,
      takeover,
      context.podTakeover,
      context.recentCrashes,
      context.lookups,
      context.bindings,
      fuseConfig,
      applier,
      labeler,
      formerSecrets,
    ])
      kept.forget(uid);
    context.jobs.drop(uid);
    context.lastValid.delete(uid);
    context.lacksSince.delete(uid);
    store.ports.gone(uid);
  }

  function forgetOperation(uid: string): void {
    applier.forget(uid);
    context.jobs.drop(uid);
    context.mountsClock.forget(uid);
  }

  const observe = observer(context);
  const runningOn = createRunningOn(context);
  return {
    now: clock.wall,
    log,
    operations: operationCluster({ context, users, applier, observe, forget, runningOn }),
    gone: (key, uid) => ('kind' in key ? forgetOperation(uid) : departed.add(key, uid)),
    scene: (key) => {
      // Only here: a pass that is under way could store something for the runtime again.
      departed.forget(key);
      const dataset = store.dataset(key);
      const invalid = dataset && store.faultOf(dataset);
      return { key, ...(dataset && { dataset }), ...(invalid && { invalid }), runtimes: store.runtimes(key) };
    },
    observe,
    observeTeardown: teardown.observeTeardown,
    idleHelpers: teardown.idleHelpers,
    usersOf: teardown.usersOf,

    mark: marks.mark,
    markDataset: marks.markDataset,
    provide: references.provide,
    revoke: references.revoke,
    withdraw: references.withdraw,
    removeLeft: leftVolumes(context),
    async apply(world, desiredObjects) {
      const staying = await takeover.release(world, desiredObjects);
      const isFree = ({ kind, name }: DesiredObject) => kind !== 'StatefulSet' || !staying.some((each) => each.name === name);
      const applied = await applier.apply(ownerOf(world), desiredObjects.filter(isFree), () => confirmed(sourcesOf(world)));
      const done = { ...applied, failed: [...staying.flatMap(({ failures }) => failures), ...applied.failed] };
      if (done.changed.length > 0 || (world.bound && done.created.length > 0)) formerSecrets.changed(world.runtime.metadata.uid ?? '');
      return done;
    },
    async prune(world, keep) {
      const used = (await keptForOutdatedPods(client, store, world, keep)).map(({ kind, metadata: { name } }) => ({ kind, name }));
      let done = await applier.prune(ownerOf(world), [...keep, ...used], () => confirmed(sourcesOf(world)));
      const secrets = await formerSecrets.remove(world, keep);
      done = { ...done, failed: [...done.failed, ...secrets.failed], kept: [...done.kept, ...secrets.kept] };
      if (done.failed.length === 0) context.bindings.settled(world.runtime.metadata.uid ?? '');
      return done;
    },
    removeRestored: restoredRemover(context),
    refresh: fuseConfig.refresh,
    run: commands.run,
    release: claimReference(context),
    async vacate({ key, dataset, runtime }, claim) {
      const users = await context.claimUsers.of(key.namespace, claim.metadata.name);
      if ('mounting' in users && users.mounting.length === 0) await remove([claim], [dataset, runtime]);
    },
    complete: claims.complete,
    nudge: claims.nudge,
    place: ({ runtime, plan, key, names, workerSet }) => {
      if (plan.roles.includes('fuse')) labeler.keep(refOf(runtime), fuseNodeLabel(plan.base.dataset));
      if (!plan.roles.includes('worker')) return;
      const now = store.live('StatefulSet', key.namespace, names.worker)?.metadata.uid ?? workerSet;
      // Without a placement, the labels of nodes stay as they are.
      if (takeover.moving({ uid: runtime.metadata.uid ?? '', ...key }, names.worker).length === 0)
        labeler.place(refOf(runtime), plan.base, now);
    },

    delete: remove,
    clean: commands.clean,
    async unlabelNodes({ key, object, labelIds = [] }) {
      await confirmed([object]);
      labeler.remove(refOf(object), labelIds, () => wake(key));
    },
    async unmark(definition, object) {
      const { uid = '' } = object.metadata;
      const latest = store.runtimes(keyOf(object)).find((candidate) => candidate.object.metadata.uid === uid)?.object ?? object;
      await users.unmark(typeOf(definition.resource), latest, runtimeFinalizer(definition.type));
      forget(uid);
    },
    unmarkDataset: marks.unmarkDataset,

    async writeRuntimeStatus(object, status) {
      const candidate = store.runtimes(keyOf(object)).find((each) => each.object.kind === object.kind);
      if (!candidate) return false;
      const { metadata } = object;
      const { resource, statusShape } = candidate.definition;
      const healthy = { ...status, conditions: withRuntimeHealth(status.conditions ?? [], clock.wall()) };
      if (!statusShape) return users.writeStatus(typeOf(resource), object, healthy, 'all');
      // `object` has the status as the controller reads it.
      const live = store.seen(object.kind, metadata.namespace, metadata.name)?.['status'] as object | undefined;
      return users.writeStatus(typeOf(resource), { metadata, status: live }, statusShape.write(healthy, metadata.name), 'all');
    },
    // In each report, also in those of a Dataset that has no runtime: an operation may end at any time.
    writeDatasetStatus(dataset, status) {
      const { phase }: Partial<DatasetStatus> = status;
      const projected = {
        ...runningOn.fields(keyOf(dataset), phase),
        observedGeneration: dataset.metadata.generation ?? 0,
        datasetRef: datasetRef(store, dataset),
      };
      return users.writeStatus(typeOf(Dataset), dataset, { ...status, ...projected }, 'given');
    },
    notice: (object, { note, ...notice }) => events.emit({ regarding: refOf(object), ...notice, note: redactedText(note) }),
  };
}

function contextOf(options: KubernetesClusterOptions): ClusterContext {
  const { client, store, log, clock = systemClock, settings, portPolicy, signal } = options;
  const confirmed: ClusterContext['confirmed'] = (seen) => confirm(client, store, seen);
  return {
    ...options,
    clock,
    jobs: createJobs(clock, log, signal),
    lookups: createLookups(client, clock),
    bindings: createBindings(settings),
    lastValid: new Map(),
    lacksSince: new Map(),
    mountTries: createMountTries(clock),
    mountsClock: createMountsClock(clock),
    ports: portAllocator(settings, portPolicy, store.ports),
    recentCrashes: createRecentCrashes(clock),
    recounts: createRecounts(clock),
    claimUsers: createClaimUsers(client, clock),
    users: userObjects(client, store, clock),
    confirmed,
    takeover: createWorkloadTakeover(client, store, confirmed),
    podTakeover: createPodTakeover(client, store, clock, log),
  };
}

/** Runtimes that are gone and not forgotten yet, by key. */
function createDeparted(forget: (uid: string) => void) {
  const uids = new Map<string, string[]>();
  return {
    add: (key: Key, uid: string) => void uids.set(keyText(key), [...(uids.get(keyText(key)) ?? []), uid]),
    forget(key: Key): void {
      uids.get(keyText(key))?.forEach(forget);
      uids.delete(keyText(key));
    },
  };
}

/** threat-model: R-request */
const ownerOf = ({ runtime, dataset, key }: World) => ({
  uid: runtime.metadata.uid ?? '',
  kind: runtime.kind,
  creationTimestamp: runtime.metadata.creationTimestamp,
  ...key,
  edition: `${runtime.metadata.generation}/${dataset.metadata.generation}`,
  placesNow: runtime.metadata.annotations?.[annotation.fusePlacement] === 'now',
});

const refOf = ({
  apiVersion,
  kind,
  metadata: { name, namespace = '', uid = '' },
}: Pick<RuntimeObject, 'apiVersion' | 'kind' | 'metadata'>) => ({
  apiVersion,
  kind,
  name,
  namespace,
  uid,
});
