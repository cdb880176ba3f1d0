import { annotation, Dataset, datasetFinalizer, label, runtimeFinalizer } from '../../api/index.ts';
import { ignoreNotFound, isAbsent, isConflict } from '../../kube/errors.ts';
import { redactedText } from '../../kube/redact.ts';
import type { Cluster } from '../cluster.ts';
import { each } from '../failures.ts';
import { identityOf } from '../identity.ts';
import { datasetMarks, runtimeMarks } from '../diff/metadata.ts';
import { type Key, keyOf, keyText, type RuntimeObject, type World } from '../world.ts';
import { createApplier } from './apply/apply.ts';
import { createBindings } from './plans/bindings.ts';
import { createClaimUsers } from './observe/claim-users.ts';
import { askProbe, canRun, runCommands } from './commands/exec.ts';
import { createLookups } from './plans/lookups.ts';
import { confirm, type Seen } from './apply/fresh.ts';
import { keptForOutdatedPods } from './apply/kept-for-outdated-pods.ts';
import { createJobs } from './commands/jobs.ts';
import { ownedKinds, ownedType, Pod, typeOf } from './kinds.ts';
import { BINDER } from './managed-fields.ts';
import { createMountTries } from './commands/mount-tries.ts';
import { createClaimBinding } from './apply/claim-binding.ts';
import { observer } from './observe/observe.ts';
import { teardownObserver } from './observe/observe-teardown.ts';
import { type KubernetesClusterOptions, type ClusterContext, podChoice } from './cluster-context.ts';
import { portRecord, recordedPorts } from './store/port-table.ts';
import { portAllocator } from './plans/ports.ts';
import { evidence } from './observe/survivors.ts';
import { userObjects } from './apply/user-objects.ts';

export interface KubernetesCluster extends Cluster {
  /** The runtime was deleted, whether or not this process took it down: the next pass over its key first drops all that is kept for it. */
  gone(key: Key, uid: string): void;
}

/** The cluster of a leader: reads from the watches, writes through the client. */
export function kubernetesCluster(options: KubernetesClusterOptions): KubernetesCluster {
  const { client, store, labeler, events, exec, log, wake, now = Date.now, signal } = options;
  const context: ClusterContext = {
    ...options,
    now,
    jobs: createJobs(now, log, signal),
    lookups: createLookups(client, now),
    bindings: createBindings(options.settings),
    lastValid: new Map(),
    mountTries: createMountTries(now),
    ports: portAllocator(options.settings, options.portPolicy, store.ports),
    claimUsers: createClaimUsers(client, now),
  };
  const { jobs } = context;
  const users = userObjects(client, store, now);
  const claimBinding = createClaimBinding(context);
  const applier = createApplier(client, store, log, now);
  const ownerOf = ({ runtime, dataset, key }: World) => ({
    uid: runtime.metadata.uid ?? '',
    kind: runtime.kind,
    creationTimestamp: runtime.metadata.creationTimestamp,
    ...key,
    edition: `${runtime.metadata.generation}/${dataset.metadata.generation}`,
    placesNow: runtime.metadata.annotations?.[annotation.fusePlacement] === 'now',
  });
  const leaving = new Map<string, string[]>();
  function forget(uid: string): void {
    jobs.drop(uid);
    context.mountTries.forget(uid);
    context.lookups.forget(uid);
    context.bindings.forget(uid);
    context.lastValid.delete(uid);
    unrefreshed.delete(uid);
    applier.forget(uid);
    labeler.forget(uid);
    store.ports.gone(uid);
  }
  const confirmed = (seen: readonly Seen[]) => confirm(client, store, seen);
  const sourcesOf = ({ runtime, dataset, companions = [] }: World): readonly Seen[] => [dataset, runtime, ...companions];

  // Runtimes with a changed configuration that their pods have not been patched for yet.
  const unrefreshed = new Set<string>();

  return {
    now,
    log,
    gone: (key, uid) => void leaving.set(keyText(key), [...(leaving.get(keyText(key)) ?? []), uid]),
    scene: (key) => {
      // Only here: a pass that is under way could store something for the runtime again.
      leaving.get(keyText(key))?.forEach(forget);
      leaving.delete(keyText(key));
      const dataset = store.dataset(key);
      const invalid = dataset && store.faultOf(dataset);
      return { key, ...(dataset && { dataset }), ...(invalid && { invalid }), runtimes: store.runtimes(key) };
    },
    observe: observer(context),
    ...teardownObserver(context),

    async mark(observation) {
      const { world, identity, marks } = observation;
      const { uid = '' } = world.runtime.metadata;
      // A runtime that leaves the host network and returns gets its ports again, so that pods of the old template are not outdated.
      const ports = { ...recordedPorts(world.runtime, runtimeOf(world)), ...marks.ports };
      const annotations: Record<string, string> = Object.keys(ports).length > 0 ? { [annotation.ports]: portRecord(uid, ports) } : {};
      const owners = marks.claims.map((claim) => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: claim.name, uid: claim.uid }));
      await users.mark(typeOf(Dataset), world.dataset, datasetMarks(identity, owners));
      // Garbage collection deletes a runtime whose owner is a Dataset that is gone, and the watch of Datasets may be behind.
      const isOwned = world.runtime.metadata.ownerReferences?.some((owner) => owner.uid === identity.uid);
      if (!isOwned && !users.isThere(world.dataset)) await confirmed([world.dataset]);
      await users.mark(typeOf(runtimeOf(world).resource), world.runtime, runtimeMarks(world.plan.plan.type, uid, identity, annotations));
      if (world.bound) return;
      const by = world.key.name;
      for (const claim of marks.claims.filter(({ name }) => context.lookups.manager(uid, name) !== by)) {
        const body = { metadata: { uid: claim.uid, labels: { [label.managedBy]: by } } };
        await client.patch(ownedKinds.PersistentVolumeClaim, { namespace: world.key.namespace, name: claim.name }, body, { type: 'merge' });
        context.lookups.managed(uid, claim.name, by);
      }
    },
    async markDataset(key, dataset) {
      await users.mark(typeOf(Dataset), dataset, datasetMarks(identityOf(key, evidence(store, key, { dataset })), []));
    },
    apply: (world, outlines) => applier.apply(ownerOf(world), outlines, () => confirmed(sourcesOf(world))),
    async prune(world, keep) {
      const used = (await keptForOutdatedPods(client, store, world, keep)).map(({ kind, metadata: { name } }) => ({ kind, name }));
      const done = await applier.prune(ownerOf(world), [...keep, ...used], () => confirmed(sourcesOf(world)));
      if (done.failed.length === 0) context.bindings.settled(world.runtime.metadata.uid ?? '');
      return done;
    },

    async refresh({ key, runtime, plan, names }, changed) {
      const { uid = '' } = runtime.metadata;
      if (changed) unrefreshed.add(uid);
      if (!unrefreshed.has(uid)) return;
      const { pods } = podChoice(store, key, { workloads: () => names });
      await each(
        (plan.plan.config?.roles ?? []).flatMap(pods).map(({ metadata }) => async () => {
          const count = Number(metadata.annotations?.[annotation.fuseConfigUpdate] ?? 0) + 1;
          const body = { metadata: { annotations: { [annotation.fuseConfigUpdate]: String(count) } } };
          await client.patch(Pod, metadata, body, { type: 'merge' }).catch(ignoreNotFound);
        }),
      );
      unrefreshed.delete(uid);
    },
    run(world, commands, change) {
      const { uid = '', generation } = world.runtime.metadata;
      const ended = context.mountTries.begun(uid, change);
      jobs.ask(
        `${uid}/run`,
        { namespace: world.key.namespace, version: `${world.dataset.metadata.generation}/${generation}`, everyMs: 0 },
        () =>
          runCommands(exec, podChoice(store, world.key, runtimeOf(world), world.plan.leader), commands)
            .then(
              () => ended(true),
              (error: unknown) => {
                ended(false);
                throw error;
              },
            )
            .finally(() => jobs.drop(`${uid}/mounts`)),
        () => wake(world.key),
      );
    },
    async release(world, volume, seen, to) {
      await confirmed([...sourcesOf(world), seen]);
      const body = {
        metadata: { resourceVersion: volume.metadata.resourceVersion },
        spec: { claimRef: { uid: to?.metadata.uid ?? null, resourceVersion: to?.metadata.resourceVersion ?? null } },
      };
      // As a manager of its own: the next apply of the volume does not send these fields, and would remove them as its own.
      const options = { type: 'merge', fieldManager: BINDER } as const;
      store.remember(await client.patch(ownedKinds.PersistentVolume, volume.metadata, body, options));
    },
    complete: (claim) => claimBinding.complete(claim),
    nudge: (claim, afterMs) => claimBinding.nudge(claim, afterMs),
    place: ({ runtime, plan, key, names }) => {
      if (!plan.roles.includes('worker')) return;
      labeler.place(refOf(runtime), plan.plan, store.live('StatefulSet', key.namespace, names.worker)?.metadata.uid);
    },

    async delete(objects, because, andPods = false) {
      if (objects.length > 0) await confirmed(because);
      for (const object of objects) {
        const candidate = store.runtimes(keyOf(object)).find(({ object: { metadata } }) => metadata.uid === object.metadata.uid);
        const type = candidate ? typeOf(candidate.runtime.resource) : ownedType(object.kind);
        await client
          .delete(type, object.metadata, { uid: object.metadata.uid, propagation: andPods ? 'Foreground' : 'Background' })
          .catch(async (error: unknown) => {
            if (isAbsent(error)) return store.forget(object);
            // Another object has its name by now: the next pass has to find that one.
            if (isConflict(error)) await confirmed([object]);
            throw error;
          });
      }
    },
    async clean({ key, object, runtime, dataset, plan, planError, cleaning }) {
      const { uid = '' } = object.metadata;
      const due = { namespace: key.namespace, version: String(cleaning.attempts + 1), everyMs: 1000 };
      if (planError !== undefined)
        jobs.ask(
          `${uid}/clean`,
          due,
          () => Promise.reject(new Error(planError)),
          () => {},
        );
      if (!plan?.cleanup) return;
      await confirmed(dataset ? [object, dataset] : [object]);
      const { ask, commands } = plan.cleanup;
      const choice = podChoice(store, key, runtime, plan.leader);
      jobs.ask(
        `${uid}/clean`,
        due,
        async () => {
          const found = ask ? await askProbe(exec, choice, ask) : undefined;
          // A command without a pod to run in has nothing left to clean.
          await runCommands(
            exec,
            choice,
            commands(found).filter((command) => canRun(choice, [command])),
          );
        },
        // A failed attempt is retried by the clock, so that not all attempts run at once.
        () => jobs.state(`${uid}/clean`).error === undefined && wake(key),
      );
    },
    async unlabelNodes({ key, object, traces = [] }) {
      await confirmed([object]);
      labeler.remove(refOf(object), traces, () => wake(key));
    },
    async unmark(runtime, object) {
      const { uid = '' } = object.metadata;
      const latest = store.runtimes(keyOf(object)).find((candidate) => candidate.object.metadata.uid === uid)?.object ?? object;
      await users.unmark(typeOf(runtime.resource), latest, runtimeFinalizer(runtime.type));
      forget(uid);
    },
    unmarkDataset: (dataset) => users.unmark(typeOf(Dataset), dataset, datasetFinalizer),

    async writeRuntimeStatus(object, status) {
      const candidate = store.runtimes(keyOf(object)).find((each) => each.object.kind === object.kind);
      return candidate ? users.writeStatus(typeOf(candidate.runtime.resource), object, status, 'all') : false;
    },
    writeDatasetStatus: (dataset, status) => users.writeStatus(typeOf(Dataset), dataset, status, 'given'),
    notice: (object, { note, ...notice }) => events.emit({ regarding: refOf(object), ...notice, note: redactedText(note) }),
  };

  function runtimeOf({ key, runtime }: World) {
    const found = store.runtimes(key).find(({ object }) => object.metadata.uid === runtime.metadata.uid);
    if (!found) throw new Error(`${runtime.kind} ${keyText(key)} is gone`);
    return found.runtime;
  }
}

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
