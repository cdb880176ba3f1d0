import type { KubeClient } from '../../kube/contract.ts';
import { ignoreNotFound, isConflict, isNotFound } from '../../kube/errors.ts';
import type { KubeObject, ObjectName, ResourceType } from '../../kube/types.ts';
import { dataOf, type Material } from './material.ts';

export const SECRET: ResourceType = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true };

/** threat-model: R-certificate */
export const readSecret = (client: KubeClient, name: ObjectName, signal: AbortSignal): Promise<KubeObject | undefined> =>
  client.get(SECRET, name, { signal }).catch(ignoreNotFound);

/**
 * Writes a certificate over the Secret from which it was decided, and keeps what others have added to that. Undefined if another replica has
 * written it meanwhile.
 * threat-model: keeps
 * @throws Error if the Secret does not exist: whoever may create Secrets can have one with the token of any ServiceAccount
 */
export async function writeSecret(
  client: KubeClient,
  { name, namespace = '' }: ObjectName,
  material: Material,
  basis: KubeObject | undefined,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  if (!basis) throw new Error(`Secret ${namespace}/${name} does not exist: apply the manifests that sluice install prints`);
  const { resourceVersion, labels, annotations, ownerReferences } = basis.metadata;
  const kept = { ...(labels && { labels }), ...(annotations && { annotations }), ...(ownerReferences && { ownerReferences }) };
  const metadata = { name, namespace, resourceVersion, ...kept };
  const data = { ...(basis['data'] as object | undefined), ...dataOf(material) };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, type: basis['type'] ?? 'Opaque', data } as KubeObject;
  try {
    return await client.update(SECRET, secret, { signal, retries: 0 });
  } catch (error) {
    // One that was deleted meanwhile is read again as well.
    if (!isNotFound(error) && !isConflict(error)) throw error;
    return undefined;
  }
}
