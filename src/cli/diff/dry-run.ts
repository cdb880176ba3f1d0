import type { Manifest } from '../../api/index.ts';
import { applied, readManagers } from '../../api-server/managers.ts';
import type { JsonMap } from '../../api-server/json.ts';
import type { KubeClient } from '../../kube/contract.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import { FIELD_MANAGER, type ManagedFields, withTakenOver } from '../../planning/diff/managed-fields.ts';
import type { LiveObject } from '../../planning/objects.ts';

/** An owner reference needs a UID. The API server gets this one in dry runs; the user never sees it. */
const UID = '00000000-0000-4000-8000-000000000000';

/** With values that the API server admits, where `synth` prints what only a running cluster knows. */
export function admissible(manifest: Manifest): KubeObject {
  const text = JSON.stringify(manifest).replaceAll(/<uid:[^<>"]+>/g, UID);
  return JSON.parse(text.replaceAll(/<(?:ip|node|label|leader):[^<>"]+>/g, 'unknown')) as KubeObject;
}

/**
 * The object as the API server would store it after an apply, with admission and defaults. Nothing is written.
 *
 * Before its first apply the controller makes the fields that it created, and those that Fluid and its helm wrote, its own, so that the apply
 * removes those that are no longer wanted. A dry run of the apply alone would keep them beside ours, and might be refused for that. So for such
 * an object the apply is computed here, and the dry run is that of its result.
 */
export async function wouldBecome(client: KubeClient, type: ResourceType, desired: KubeObject, live: LiveObject): Promise<KubeObject> {
  const options = { dryRun: true, fieldValidation: 'Strict' } as const;
  const sent = admissible(desired as Manifest);
  const fields = (live.metadata.managedFields ?? []) as readonly ManagedFields[];
  const before = withTakenOver(fields);
  if (before === fields) {
    const metadata = { ...sent.metadata, uid: live.metadata.uid };
    return client.apply(type, { ...sent, metadata }, { ...options, force: true });
  }
  const writer = { manager: FIELD_MANAGER, operation: 'Apply', apiVersion: sent.apiVersion, time: '' } as const;
  // The casts: what an API server sends and takes is JSON.
  const merged = applied(live as unknown as JsonMap, sent as unknown as JsonMap, readManagers(before), writer, true, true);
  const next = merged.object as unknown as KubeObject;
  const { managedFields: _, ...metadata } = next.metadata;
  return client.update(type, { ...next, metadata: { ...metadata, resourceVersion: live.metadata.resourceVersion } }, options);
}
