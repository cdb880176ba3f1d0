import { isDeepStrictEqual } from 'node:util';
import type { ObjectMeta } from '../../../api/index.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import { ApiError, isAbsent } from '../../../kube/errors.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { World } from '../../world.ts';
import type { Store } from '../store/store.ts';
import { LAST_APPLIED } from '../../../planning/kinds.ts';

/** An object as a watch showed it. */
export interface ExpectedObject {
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** The objects from which the manifests of a runtime follow. */
export const sourcesOf = ({ runtime, dataset, companions = [] }: World): readonly ExpectedObject[] => [dataset, runtime, ...companions];

/** Reads what the objects follow from afresh, and throws if it is not as it was seen. */
export type Confirmed = () => Promise<void>;

/**
 * Reads the objects afresh from which a deletion follows. One watch may hang while the others do not: what seems to be too much may be what
 * the newest spec asks for.
 *
 * The next pass uses what differs from what was seen, however long the watch hangs. Whoever else depends on it is woken by its event.
 *
 * @param isSame whether what follows from an object still does. By default its status does not matter
 * @throws ApiError 409 if one of them has changed: as after any conflict, the next pass reads everything again
 */
export async function confirm(
  client: KubeClient,
  store: Pick<Store, 'typeOf' | 'found' | 'forget'>,
  seen: readonly ExpectedObject[],
  isSame: (seen: ObjectMeta, fresh: ObjectMeta) => boolean = isAsSeen,
): Promise<void> {
  // All of them, so that the next pass is right at once.
  const changed = await Promise.all(
    seen.map(async (object) => {
      const type = store.typeOf(object.kind);
      const fresh = await client.get(type, object.metadata).catch((error: unknown) => {
        if (isAbsent(error)) return undefined;
        throw error;
      });
      if (fresh && isSame(object.metadata, fresh.metadata)) return [];
      if (fresh) store.found(fresh);
      else store.forget(object as KubeObject);
      return `${object.kind} ${object.metadata.name}`;
    }),
  );
  const names = changed.flat();
  if (names.length > 0) throw new ApiError({ method: 'GET', path: 'before deleting' }, 409, `${names.join(', ')} changed unseen`);
}

/** For `confirm`: what follows depends on the status too. */
export const isSameVersion = (seen: ObjectMeta, fresh: ObjectMeta): boolean => seen.resourceVersion === fresh.resourceVersion;

/** Whether everything is the same that a plan or a deletion may follow from: the spec by its generation, and metadata. Not the status. */
function isAsSeen(seen: ObjectMeta, fresh: ObjectMeta): boolean {
  if (seen.uid !== fresh.uid) return false;
  return isSameVersion(seen, fresh) || isDeepStrictEqual(essence(seen), essence(fresh));
}
/** threat-model: keeps */
function essence({
  generation,
  deletionTimestamp,
  labels = {},
  annotations = {},
  finalizers = [],
  ownerReferences = [],
}: ObjectMeta): object {
  const { [LAST_APPLIED]: _, ...noted } = annotations;
  return { generation, deletionTimestamp, labels, annotations: noted, finalizers, ownerReferences };
}
