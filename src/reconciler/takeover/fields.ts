import type { KubeClient } from '../../kube/contract.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import { type ManagedFields, withTakenOver } from '../../planning/diff/managed-fields.ts';

/** Makes the fields that Sluice, Fluid and its helm wrote those of Sluice's apply. Renaming the entry is how kubectl moves to server-side apply. */
export async function takeOverFields(client: KubeClient, type: ResourceType, { metadata }: KubeObject): Promise<void> {
  const fields = (metadata.managedFields ?? []) as readonly ManagedFields[];
  const after = withTakenOver(fields);
  if (after === fields) return;
  const patch = [
    { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
    { op: 'replace', path: '/metadata/managedFields', value: after },
  ];
  await client.patch(type, metadata, patch, { type: 'json' });
}
