import type { Manifest } from '../../api/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import { FIELD_MANAGER } from '../../planning/diff/managed-fields.ts';
import type { LiveObject } from '../../planning/objects.ts';

type Fields = Readonly<Record<string, unknown>>;
interface ManagedEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: Fields;
}

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
 * An object that the controller created and never applied has its fields from an Update entry in `managedFields`. The controller turns
 * that into an Apply entry first, so that apply removes fields that are no longer wanted. A dry run cannot, so they are removed here.
 */
export async function wouldBecome(client: KubeClient, type: ResourceType, desired: KubeObject, live: LiveObject): Promise<KubeObject> {
  const options = { dryRun: true, fieldValidation: 'Strict' } as const;
  const sent = admissible(desired as Manifest);
  const applied = await client.apply(
    type,
    { ...sent, metadata: { ...sent.metadata, uid: live.metadata.uid } },
    { ...options, force: true },
  );
  const entries = (live.metadata.managedFields ?? []) as readonly ManagedEntry[];
  const created = entries.find(
    ({ manager, operation, subresource }) => manager === FIELD_MANAGER && operation === 'Update' && !subresource,
  );
  const others = entries.filter((entry) => entry !== created && !entry.subresource);
  if (!created?.fieldsV1) return applied;
  const kept = without(
    applied,
    desired,
    created.fieldsV1,
    others.map(({ fieldsV1 = {} }) => fieldsV1),
  ) as KubeObject;
  if (JSON.stringify(kept) === JSON.stringify(applied)) return applied;
  // A second request to the server: a removed field may have a default.
  const { managedFields: _, ...metadata } = kept.metadata;
  return client.update(type, { ...kept, metadata: { ...metadata, resourceVersion: live.metadata.resourceVersion } }, options);
}

/** `value` without the fields that are ours (`owned`, a FieldsV1), no longer wanted, and not of another manager. */
function without(value: unknown, desired: unknown, owned: Fields, others: readonly Fields[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(owned).filter(([key]) => key.startsWith('f:') || key.startsWith('k:')) as [string, Fields][];
  const isList = Array.isArray(value);
  const result: Record<string, unknown> = { ...value };
  for (const [key, fields] of entries) {
    const index = isList ? value.findIndex((item) => matches(item, key)) : key.slice(2);
    const current = result[index];
    if (current === undefined) continue;
    const wanted = isList
      ? Array.isArray(desired)
        ? (desired as readonly unknown[]).find((item) => matches(item, key))
        : undefined
      : (desired as Fields | undefined)?.[index];
    const theirs = others.flatMap((other): readonly Fields[] => (other[key] ? [other[key] as Fields] : []));
    if (wanted === undefined && theirs.length === 0) delete result[index];
    else result[index] = without(current, wanted, fields, theirs);
  }
  return isList ? Object.values(result) : result;
}

/** `k:{"name":"A"}` names the item of a list that has these values. */
function matches(item: unknown, key: string): boolean {
  if (!key.startsWith('k:')) return false;
  const values = JSON.parse(key.slice(2)) as Fields;
  return Object.entries(values).every(
    ([name, value]) => ((item as Fields | null)?.[name] ?? (name === 'protocol' ? 'TCP' : undefined)) === value,
  );
}
