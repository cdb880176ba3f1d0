import type { KubeClient } from '../../kube/contract.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import { FIELD_MANAGER, type Fields, type ManagedFields } from '../../planning/diff/managed-fields.ts';

/** The programs of a Fluid installation, as managers of fields. */
const PREDECESSORS = /^(ddc-helm|helm|dataset-controller|\w+runtime-controller)$/;

/**
 * Objects are created by POST, so that no existing object is overwritten. Their fields then belong to an Update entry of ours, from which a
 * later apply could not remove a field. Renaming the entry is how kubectl moves to server-side apply as well. What Fluid and its helm wrote
 * becomes ours in the same way, since no other manager would ever remove it.
 */
export async function takeOverFields(client: KubeClient, type: ResourceType, { metadata }: KubeObject): Promise<void> {
  const fields = (metadata.managedFields ?? []) as readonly ManagedFields[];
  const isWritten = ({ manager = '', operation, subresource }: ManagedFields) =>
    (manager === FIELD_MANAGER || PREDECESSORS.test(manager)) && operation === 'Update' && !subresource;
  const isApplied = ({ manager, operation }: ManagedFields) => manager === FIELD_MANAGER && operation === 'Apply';
  const written = fields.filter(isWritten);
  if (written.length === 0) return;
  const ours = [...fields.filter(isApplied), ...written];
  const applied = { ...ours[0], manager: FIELD_MANAGER, operation: 'Apply', fieldsV1: union(ours.map(({ fieldsV1 }) => fieldsV1 ?? {})) };
  const patch = [
    { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
    { op: 'replace', path: '/metadata/managedFields', value: [...fields.filter((entry) => !ours.includes(entry)), applied] },
  ];
  await client.patch(type, metadata, patch, { type: 'json' });
}

function union(sets: readonly Fields[]): Fields {
  const keys = [...new Set(sets.flatMap((set) => Object.keys(set)))];
  return Object.fromEntries(keys.map((key) => [key, union(sets.flatMap((set) => set[key] ?? []))]));
}
