import { ownerUid } from '../../../api/index.ts';
import { ignoreNotFound } from '../../../kube/errors.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { attempt } from '../../failures.ts';
import { keptOf } from '../../status/kept.ts';
import { type Failure, type Kept, type DesiredObject, type Pruned, ROLES, type World } from '../../world.ts';
import { type ClusterContext, runtimeOf } from '../cluster-context.ts';
import { Secret, workloadKind } from '../../../planning/kinds.ts';
import { sourcesOf } from './fresh.ts';
import { areUpToDate } from './kept-for-outdated-pods.ts';

/** Secrets that a runtime had and its plan no longer has. No watch shows them, so no inventory has them. */
export interface FormerSecrets {
  /** An object of the runtime was changed, or created again: its plan may have lost a Secret. */
  changed(uid: string): void;
  /** Deletes them once no pod has an older template, which may need them. */
  remove(world: World, keep: readonly Pick<DesiredObject, 'kind' | 'name'>[]): Promise<Pruned>;
  forget(uid: string): void;
}

const NOTHING: Pruned = { pruned: [], failed: [], kept: [] };

export function createFormerSecrets(context: Pick<ClusterContext, 'client' | 'store' | 'confirmed'>): FormerSecrets {
  const { client, store, confirmed } = context;
  /** Whether the Secrets of a runtime are due for a look-up, by its UID. */
  const isDue = new Map<string, boolean>();

  /**
   * An earlier process may have ended before it deleted what the plan had lost. Then a workload was changed, or is younger than the claim,
   * which is created after it.
   */
  function mayBeLeft({ key, names, claim }: World): boolean {
    const born = claim?.metadata.creationTimestamp;
    return ROLES.some((role) => {
      const { generation = 1, creationTimestamp = '' } = store.live(workloadKind(role), key.namespace, names[role])?.metadata ?? {};
      return generation > 1 || (born !== undefined && creationTimestamp > born);
    });
  }

  async function find(world: World, names: readonly string[]): Promise<readonly KubeObject[]> {
    const { namespace } = world.key;
    const all = await Promise.all(names.map((name) => client.get(Secret, { namespace, name }).catch(ignoreNotFound)));
    return all.filter((found) => found !== undefined && ownerUid(found) === world.runtime.metadata.uid) as readonly KubeObject[];
  }

  async function removeOne(world: World, { metadata }: KubeObject): Promise<void> {
    await confirmed(sourcesOf(world));
    await client.delete(Secret, metadata, { uid: metadata.uid ?? '', propagation: 'Background' }).catch(ignoreNotFound);
  }

  return {
    changed: (uid) => void isDue.set(uid, true),
    async remove(world, keep) {
      const { uid = '' } = world.runtime.metadata;
      const suffixes = runtimeOf(store, world).secrets;
      const known = isDue.get(uid);
      if (suffixes.length === 0 || known === false) return NOTHING;
      const areOutdated = Object.values(world.workloads).some((workload) => workload && workload.outdated.length > 0);
      const wanted = new Set(keep.flatMap(({ kind, name }) => (kind === 'Secret' ? name : [])));
      const names = suffixes.map((suffix) => `${world.key.name}-${suffix}`).filter((name) => !wanted.has(name));
      if (names.length === 0) return NOTHING;
      const isDueNow = known ?? (areOutdated || mayBeLeft(world));
      // Every later change is made by this process, which calls `changed`.
      if (isDueNow || world.bound) isDue.set(uid, isDueNow);
      if (!isDueNow || areOutdated) return NOTHING;
      const failed: Failure[] = [];
      const kept: Kept[] = [];
      const result = { pruned: [], failed, kept };
      let found: readonly KubeObject[] = [];
      failed.push(
        ...(await attempt('LookupFailed', `Secret/${names.join(', Secret/')}`, async () => void (found = await find(world, names)))),
      );
      kept.push(...found.flatMap(keptOf));
      const present = found.filter(({ metadata }) => !metadata.deletionTimestamp);
      if (present.length > 0 && !(await areUpToDate(client, store, world))) return result;
      for (const each of present)
        failed.push(...(await attempt('DeleteFailed', `Secret/${each.metadata.name}`, () => removeOne(world, each))));
      if (failed.length + kept.length === 0) isDue.set(uid, false);
      return result;
    },
    forget: (uid) => void isDue.delete(uid),
  };
}
