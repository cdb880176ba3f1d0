import type { KubeClient } from '../../kube/contract.ts';
import { isNotFound } from '../../kube/errors.ts';
import type { ResourceType } from '../../kube/types.ts';
import { ownedKinds } from '../../planning/kinds.ts';
import { isOurs, type Owned } from '../../planning/owner.ts';
import type { LiveObject } from '../world.ts';
import type { Store } from '../kubernetes/store/store.ts';

export interface UnlabelledOptions {
  readonly client: Pick<KubeClient, 'get'>;
  readonly store: Pick<Store, 'isOwner'>;
}

/** Reads an object that may be ours without our label, so that no watch shows it: Fluid created it, or another writer removed the label. */
export async function unlabelled(
  { client, store }: UnlabelledOptions,
  kind: keyof typeof ownedKinds | ResourceType,
  owner: Owned,
  name: string,
): Promise<LiveObject | undefined> {
  const type = typeof kind === 'string' ? ownedKinds[kind] : kind;
  const object = await client.get(type, { namespace: type.namespaced ? owner.namespace : undefined, name }).catch((error: unknown) => {
    // No such object; or no such kind, where it is none of Kubernetes' own.
    if (isNotFound(error)) return undefined;
    throw error;
  });
  // The cast: what was read from the API server has a UID and a version.
  return object && isOurs(object, owner, store) ? (object as LiveObject) : undefined;
}
