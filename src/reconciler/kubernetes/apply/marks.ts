import { annotation, Dataset, datasetFinalizer, isOwnedBy, label } from '../../../api/index.ts';
import type { Cluster } from '../../cluster.ts';
import { datasetMarks, runtimeMarks } from '../../../planning/diff/metadata.ts';
import { identityOf, recordHolder } from '../../../planning/identity.ts';
import { type ClusterContext, runtimeOf } from '../cluster-context.ts';
import { ownedKinds, typeOf } from '../../../planning/kinds.ts';
import { evidence } from '../observe/survivors.ts';
import { portRecord, recordedPorts } from '../../../planning/port-table.ts';

/** Writes the records on users' objects: on a Dataset, on its runtime, and on the claims that the runtime reads. */
export function marker({
  client,
  store,
  users,
  lookups,
  confirmed,
}: ClusterContext): Pick<Cluster, 'mark' | 'markDataset' | 'unmarkDataset'> {
  return {
    async mark(observation) {
      const { world, identity, marks } = observation;
      const { uid = '' } = world.runtime.metadata;
      // A runtime that leaves the host network and returns gets its ports again, so that pods of the old template are not outdated.
      const ports = { ...recordedPorts(world.runtime, runtimeOf(store, world)), ...marks.ports };
      const annotations: Record<string, string> = Object.keys(ports).length > 0 ? { [annotation.ports]: portRecord(uid, ports) } : {};
      const owners = marks.claims.map((claim) => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: claim.name, uid: claim.uid }));
      await users.mark(typeOf(Dataset), world.dataset, datasetMarks(identity, owners));
      // Garbage collection deletes a runtime whose owner is a Dataset that is gone, and the watch of Datasets may be behind.
      const isOwned = isOwnedBy(world.runtime, identity.uid);
      if (!isOwned && !users.isThere(world.dataset)) await confirmed([world.dataset]);
      await users.mark(
        typeOf(runtimeOf(store, world).resource),
        world.runtime,
        runtimeMarks(world.plan.base.type, recordHolder(world.runtime.metadata), identity, annotations),
      );
      if (world.bound) return;
      const by = world.key.name;
      for (const claim of marks.claims.filter(({ name }) => lookups.manager(uid, name) !== by)) {
        const body = { metadata: { uid: claim.uid, labels: { [label.managedBy]: by } } };
        await client.patch(ownedKinds.PersistentVolumeClaim, { namespace: world.key.namespace, name: claim.name }, body, { type: 'merge' });
        lookups.managed(uid, claim.name, by);
      }
    },
    async markDataset(key, dataset) {
      await users.mark(typeOf(Dataset), dataset, datasetMarks(identityOf(key, evidence(store, key, { dataset })), []));
    },
    unmarkDataset: (dataset) => users.unmark(typeOf(Dataset), dataset, datasetFinalizer),
  };
}
