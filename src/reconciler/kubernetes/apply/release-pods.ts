import { isAbsent } from '../../../kube/errors.ts';
import type { DesiredObject, World } from '../../world.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { sourcesOf } from './fresh.ts';

/**
 * Deletes what Fluid created in place of a StatefulSet that is about to be created, and leaves its pods: they have the StatefulSet's names
 * and labels, so that it adopts them. Fluid's controller of that kind does not run once Fluid is stopped.
 */
export async function releasePods(
  { client, confirmed }: Pick<ClusterContext, 'client' | 'confirmed'>,
  world: World,
  desiredObjects: readonly DesiredObject[],
): Promise<void> {
  const wanted = new Set(desiredObjects.flatMap(({ kind, name }) => (kind === 'StatefulSet' ? [name] : [])));
  const leaving = (world.replaced ?? []).filter(({ object }) => wanted.has(object.metadata.name));
  if (leaving.length === 0) return;
  await confirmed(sourcesOf(world));
  for (const { type, object } of leaving)
    await client.delete(type, object.metadata, { uid: object.metadata.uid, propagation: 'Orphan' }).catch((error: unknown) => {
      if (!isAbsent(error)) throw error;
    });
}
