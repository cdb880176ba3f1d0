import { ownerUid } from '../../../api/index.ts';
import { ignoreNotFound } from '../../../kube/errors.ts';
import { attempt } from '../../failures.ts';
import type { Failure, Outline, Pruned, World } from '../../world.ts';
import { type ClusterContext, runtimeOf } from '../cluster-context.ts';
import { Secret } from '../kinds.ts';
import { sourcesOf } from './fresh.ts';
import { areUpToDate } from './kept-for-outdated-pods.ts';

/** Secrets that a runtime had and its plan no longer has. No watch shows them, so no inventory has them. */
export interface FormerSecrets {
  /** An object of the runtime was changed: its plan may have lost a Secret. */
  changed(uid: string): void;
  /** Deletes them once no pod has an older template, which may need them. */
  remove(world: World, keep: readonly Pick<Outline, 'kind' | 'name'>[]): Promise<Pruned>;
  forget(uid: string): void;
}

export function createFormerSecrets(context: Pick<ClusterContext, 'client' | 'store' | 'confirmed'>): FormerSecrets {
  const { client, store, confirmed } = context;
  /** Whether the Secrets of a runtime are to be looked up, by its UID. */
  const isDue = new Map<string, boolean>();

  async function removeOne(world: World, name: string): Promise<void> {
    const { uid = '' } = world.runtime.metadata;
    const found = await client.get(Secret, { namespace: world.key.namespace, name }).catch(ignoreNotFound);
    if (!found || ownerUid(found) !== uid || found.metadata.deletionTimestamp) return;
    await confirmed(sourcesOf(world));
    await client.delete(Secret, found.metadata, { uid: found.metadata.uid ?? '', propagation: 'Background' }).catch(ignoreNotFound);
  }

  return {
    changed: (uid) => void isDue.set(uid, true),
    async remove(world, keep) {
      const { uid = '' } = world.runtime.metadata;
      const kept = new Set(keep.flatMap(({ kind, name }) => (kind === 'Secret' ? name : [])));
      const names = runtimeOf(store, world)
        .secrets.map((suffix) => `${world.key.name}-${suffix}`)
        .filter((name) => !kept.has(name));
      // An earlier process changed the pods' template, and may have left what its pods needed.
      const areOutdated = Object.values(world.workloads).some((workload) => workload && workload.outdated.length > 0);
      const failed: Failure[] = [];
      if (names.length === 0 || !(isDue.get(uid) ?? areOutdated)) return { pruned: [], failed, kept: [] };
      isDue.set(uid, true);
      if (!(await areUpToDate(client, store, world))) return { pruned: [], failed, kept: [] };
      for (const name of names) failed.push(...(await attempt('DeleteFailed', `Secret/${name}`, () => removeOne(world, name))));
      if (failed.length === 0) isDue.set(uid, false);
      return { pruned: [], failed, kept: [] };
    },
    forget: (uid) => void isDue.delete(uid),
  };
}
