import { isAbsent } from '../../../kube/errors.ts';
import type { Outline, World } from '../../world.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { workloadType } from '../kinds.ts';
import { sourcesOf } from './fresh.ts';

/**
 * Deletes what Fluid created in place of a StatefulSet that is about to be created, and leaves its pods: they have the StatefulSet's names
 * and labels, so that it adopts them. Fluid's controller of that kind does not run once Fluid is stopped.
 */
export async function releasePods(
  { client, store, confirmed }: Pick<ClusterContext, 'client' | 'store' | 'confirmed'>,
  world: World,
  outlines: readonly Outline[],
): Promise<void> {
  const wanted = new Set(outlines.flatMap(({ kind, name }) => (kind === 'StatefulSet' ? [name] : [])));
  const leaving = (world.replaced ?? []).filter(({ metadata }) => wanted.has(metadata.name));
  const kind = store.runtimes(world.key).find(({ object }) => object.kind === world.runtime.kind)?.runtime.fluidsWorkloads;
  if (!kind || leaving.length === 0) return;
  await confirmed(sourcesOf(world));
  for (const { metadata } of leaving)
    await client.delete(workloadType(kind), metadata, { uid: metadata.uid, propagation: 'Orphan' }).catch((error: unknown) => {
      if (!isAbsent(error)) throw error;
    });
}
