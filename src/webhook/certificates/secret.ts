import { webhookSecretLabels } from '../../api/webhook-names.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { ignoreNotFound, isAlreadyExists, isConflict, isNotFound } from '../../kube/errors.ts';
import type { KubeObject, ObjectName, ResourceType } from '../../kube/types.ts';
import { dataOf, type Material } from './material.ts';

export const SECRET: ResourceType = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true };

export const readSecret = (client: KubeClient, name: ObjectName, signal: AbortSignal): Promise<KubeObject | undefined> =>
  client.get(SECRET, name, { signal }).catch(ignoreNotFound);

/**
 * Writes a certificate over the Secret from which it was decided, and keeps what others have added to that. Undefined if another replica has
 * written it meanwhile.
 */
export async function writeSecret(
  client: KubeClient,
  name: ObjectName,
  material: Material,
  basis: KubeObject | undefined,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { resourceVersion, labels, annotations, ownerReferences } = basis?.metadata ?? { labels: webhookSecretLabels };
  const kept = { ...(labels && { labels }), ...(annotations && { annotations }), ...(ownerReferences && { ownerReferences }) };
  const { namespace = '' } = name;
  const metadata = { name: name.name, namespace, ...(resourceVersion !== undefined && { resourceVersion }), ...kept };
  const data = { ...(basis?.['data'] as object | undefined), ...dataOf(material) };
  const secret: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata, type: basis?.['type'] ?? 'Opaque', data };
  const options = { signal, retries: 0 };
  try {
    return await (basis ? client.update(SECRET, secret, options) : client.create(SECRET, secret, options));
  } catch (error) {
    if (!basis && isNotFound(error))
      throw new Error(`namespace ${namespace} does not exist: the Secret ${name.name} cannot be created`, { cause: error });
    if (!isAlreadyExists(error) && !isConflict(error)) throw error;
    return undefined;
  }
}
