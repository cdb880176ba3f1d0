/** The owners that objects name. */
import type { OwnerReference } from '../../api/index.ts';
import type { KubeObject, ObjectName, ResourceType } from '../../kube/types.ts';
import type { ApiServer } from '../index.ts';

/** An object as it is now; undefined also for a kind that is not served any more. */
export function current(server: ApiServer, kind: string, apiVersion: string, { namespace, name }: ObjectName): KubeObject | undefined {
  return servedAs(server, kind, apiVersion) && server.get(kind, namespace, name, apiVersion);
}

/** The owner that an object names, if it exists. */
export function ownerBy(
  server: ApiServer,
  { metadata }: KubeObject,
  { apiVersion, kind, name, uid }: OwnerReference,
): KubeObject | undefined {
  const found = current(server, kind, apiVersion, { namespace: metadata.namespace, name });
  return found?.metadata.uid === uid ? found : undefined;
}

/** An object of the cluster cannot have an owner in a namespace; Kubernetes leaves one that names such an owner alone. */
export const isOutOfReach = (server: ApiServer, { metadata }: KubeObject, { kind, apiVersion }: OwnerReference): boolean =>
  metadata.namespace === undefined && servedAs(server, kind, apiVersion)?.namespaced === true;

function servedAs(server: ApiServer, kind: string, apiVersion: string): ResourceType | undefined {
  try {
    return server.typeOf(kind, apiVersion);
  } catch {
    return undefined;
  }
}
