import type { Manifest } from '../../api/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { ignoreNotFound, isNotFound } from '../../kube/errors.ts';
import { type KubeObject, type ResourceType, withoutManagedFields } from '../../kube/types.ts';
import { ownedKinds, typeOfManifest } from '../../planning/kinds.ts';
import { LEASE } from '../../kube/lease/lease-record.ts';
import type { Action } from './step.ts';

/**
 * The field manager of manifests: that of `kubectl apply --server-side`, by which they are applied again at the next upgrade. Under another
 * one, each field that an upgrade changes would be a conflict.
 */
const MANAGER = 'kubectl';
/** No Lease lasts longer; client-go counts in seconds. */
const TEN_YEARS_S = 315_360_000;

type Effects = {
  readonly [D in Action['do']]: (client: KubeClient, action: Extract<Action, { readonly do: D }>) => Promise<unknown>;
};

/** How each action is taken, by its tag. What does not exist any more needs no write. */
const EFFECTS: Effects = {
  apply: (client, { manifests }) => applyAll(client, manifests),
  record: (client, { object }) => put(client, ownedKinds.ConfigMap, object),
  scale: (client, { object: { type, namespace, name }, replicas }) =>
    client.patch(type, { namespace, name }, { spec: { replicas } }, { type: 'merge' }).catch(ignoreNotFound),
  hold: (client, { lease, holder }) => put(client, LEASE, held(lease, holder)).catch(ignoreNotFound),
  delete: (client, { object: { type, namespace, name, uid }, leavesPods, gracePeriodSeconds }) =>
    client
      .delete(type, { namespace, name }, { uid, propagation: leavesPods ? 'Orphan' : 'Background', gracePeriodSeconds })
      .catch(ignoreNotFound),
  restore: (client, { type, object }) => restored(client, type, object),
  patch: (client, { object: { type, namespace, name }, patch, subresource }) =>
    client.patch(type, { namespace, name }, patch, { type: 'merge', ...(subresource && { subresource }) }).catch(ignoreNotFound),
};

export const take = (client: KubeClient, action: Action): Promise<unknown> =>
  // The cast: the table has the function of this tag, which takes this action.
  (EFFECTS[action.do] as (client: KubeClient, action: Action) => Promise<unknown>)(client, action);

/** Applies manifests in their order: a namespace before what is in it. */
async function applyAll(client: KubeClient, manifests: readonly (Manifest | KubeObject)[]): Promise<void> {
  // The casts: a manifest is an object whose shape the API server knows.
  for (const manifest of manifests)
    await client.apply(typeOfManifest(manifest as Manifest), manifest as KubeObject, { force: true, fieldManager: MANAGER });
}

const put = (client: KubeClient, type: ResourceType, object: KubeObject) =>
  object.metadata.resourceVersion === undefined ? client.create(type, object) : client.update(type, object);

/** As it was recorded, in place of what has its name now. */
async function restored(client: KubeClient, type: ResourceType, object: KubeObject): Promise<unknown> {
  const { namespace, name } = object.metadata;
  try {
    const { metadata } = await client.get(type, { namespace, name }, { metadataOnly: true });
    const { uid, resourceVersion } = metadata;
    return await client.update(type, {
      ...object,
      metadata: { ...object.metadata, ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) },
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return client.create(type, object);
  }
}

function held(lease: KubeObject, holder: string): KubeObject {
  const kept = withoutManagedFields(lease);
  const spec = (lease['spec'] ?? {}) as object;
  return { ...kept, spec: { ...spec, holderIdentity: holder, leaseDurationSeconds: holder === '' ? 1 : TEN_YEARS_S } };
}
