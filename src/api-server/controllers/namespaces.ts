import type { KubeObject } from '../../kube/types.ts';
import type { ApiServer } from '../index.ts';
import type { ControllerClient } from './client.ts';

/** Requests have their turn before the next ones. */
const AT_ONCE = 100;

/** Empties a namespace that was deleted, then lets it go. */
export function endNamespace(server: ApiServer, client: ControllerClient, { metadata: { name, deletionTimestamp } }: KubeObject): boolean {
  if (!deletionTimestamp) return false;
  const inside = client.indexes.byNamespace.of(name);
  const staying = inside.filter(({ metadata }) => !metadata.deletionTimestamp);
  for (const object of staying.slice(0, AT_ONCE)) client.delete(object);
  if (inside.length === 0) server.remove('Namespace', undefined, name);
  return staying.length > 0 || inside.length === 0;
}
