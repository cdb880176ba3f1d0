import type { KubeClient } from '../../kube/contract.ts';
import { ignoreNotFound, isNotFound } from '../../kube/errors.ts';
import { type KubeObject, type ResourceType, withoutManagedFields } from '../../kube/types.ts';
import { ownedKinds } from '../../planning/kinds.ts';
import { LEASE } from '../../kube/lease/lease-record.ts';
import { applyAll } from '../apply.ts';
import { typeOfRecord } from '../fluid/helm.ts';
import { Deployment } from '../fluid/names.ts';
import { objectOf } from './record.ts';
import type { Action } from './step.ts';
import type { Target } from './world.ts';

/** No Lease lasts longer; client-go counts in seconds. */
const TEN_YEARS_S = 315_360_000;

type Effects = {
  readonly [D in Action['do']]: (client: KubeClient, target: Target, action: Extract<Action, { readonly do: D }>) => Promise<unknown>;
};

/** How each action is taken, by its tag. What does not exist any more needs no write. */
const EFFECTS: Effects = {
  apply: (client, { parts }, { part }) => applyAll(client, parts.get(part) ?? []),
  record: (client, { namespace }, { record }) => put(client, ownedKinds.ConfigMap, objectOf(namespace, record)),
  scale: (client, { namespace }, { deployment: name, replicas }) =>
    client.patch(Deployment, { namespace, name }, { spec: { replicas } }, { type: 'merge' }).catch(ignoreNotFound),
  hold: (client, _, { lease, holder }) => client.update(LEASE, held(lease, holder)).catch(ignoreNotFound),
  delete: (client, _, { object: { type, namespace, name, uid }, leavesPods }) =>
    client.delete(type, { namespace, name }, { uid, propagation: leavesPods ? 'Orphan' : 'Background' }).catch(ignoreNotFound),
  restore: (client, _, { type, object }) => restored(client, type, object),
  patch: (client, _, { object: { type, namespace, name }, patch, subresource }) =>
    client.patch(type, { namespace, name }, patch, { type: 'merge', ...(subresource && { subresource }) }).catch(ignoreNotFound),
  label: (client, _, { record, namespace, owner }) =>
    client
      .patch(typeOfRecord(record), { namespace, name: record.name }, { metadata: { labels: { owner } } }, { type: 'merge' })
      .catch(ignoreNotFound),
};

export const take = (client: KubeClient, target: Target, action: Action): Promise<unknown> =>
  // The cast: the table has the function of this tag, which takes this action.
  (EFFECTS[action.do] as (client: KubeClient, target: Target, action: Action) => Promise<unknown>)(client, target, action);

/** Creates an object without a version, and replaces that version otherwise: of two runs at once, one begins again. */
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
