import { claimName, type Dataset, volumeName } from '../../../api/index.ts';
import type { Cluster } from '../../cluster.ts';
import { identityOf } from '../../../planning/identity.ts';
import { referenceRuntime } from '../../../planning/reference-runtime.ts';
import { typeOf } from '../../../planning/kinds.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { ownVolumeOrClaim } from '../observe/remains.ts';
import { evidence } from '../observe/survivors.ts';
import { isWithdrawn } from '../plans/consent.ts';
import { leadsTo } from '../plans/leads.ts';
import { deleter } from './deletion.ts';

/** The controller's additional writes for Datasets that refer to others. */
export function referenceWriter(context: ClusterContext): Pick<Cluster, 'provide' | 'revoke' | 'withdraw'> {
  const { client, store, confirmed } = context;
  const remove = deleter(context);
  /** Datasets as a watch showed them, which is another JavaScript object after each change, that have got a runtime. */
  const provided = new WeakSet<Dataset>();

  const revoke: Cluster['revoke'] = async (key, definition, object) => {
    const { uid = '' } = object.metadata;
    const identity = identityOf(key, { runtime: object });
    const to = leadsTo(store, volumeName(identity)).map((each) => store.dataset(each));
    // The consent of the other Datasets' owners, and the newest spec: one of their watches may be behind.
    const because = [object, store.dataset(key), ...to].filter((each) => each !== undefined);
    const claim = await ownVolumeOrClaim(context, 'PersistentVolumeClaim', key, claimName(identity), uid);
    if (claim) {
      if (!claim.metadata.deletionTimestamp) await remove([claim], because);
      return;
    }
    // Not before the claim: the node plugin reads the volume for as long as pods mount it.
    const volume = await ownVolumeOrClaim(context, 'PersistentVolume', key, volumeName(identity), uid);
    if (volume && !volume.metadata.deletionTimestamp) await remove([volume], because);
  };

  return {
    async provide(key, dataset) {
      const definition = store.forReferences;
      if (!definition) return false;
      // Kubernetes deletes the runtime of a Dataset that is gone, and it would be created again for as long as the watch does not show that.
      if (provided.has(dataset)) await confirmed([dataset]);
      provided.add(dataset);
      const object = referenceRuntime(definition, identityOf(key, evidence(store, key, { dataset })));
      store.created(await client.create(typeOf(definition.resource), object));
      return true;
    },
    revoke,
    async withdraw(key, definition, object) {
      const volume = volumeName(identityOf(key, { runtime: object }));
      if (await isWithdrawn(context, { ...key, volume }, [])) await revoke(key, definition, object);
    },
  };
}
