import type { KubeObject, ResourceType } from '../kube/types.ts';
import { type Json, same } from './json.ts';
import { immutableFaults } from './immutable.ts';
import { countsEdits, hasStatus } from './kinds.ts';
import { haveSameFields, readManagers, writeManagers } from './managers.ts';
import { withKeptAddresses } from './preparing.ts';
import { type FieldFault, invalid } from './refusals.ts';
import type { Storage } from './storage.ts';
import { valueFaults } from './values.ts';
import { compacted, type At, json, type Merge, withStringData, type Writing } from './writing.ts';

/** Changes a stored object: fields that only the server writes stay, and so do those of the other endpoint, status or spec. */
export function change(storage: Storage, at: At, live: KubeObject, wanted: KubeObject, writing: Writing, managersOf: Merge): KubeObject {
  const { type, subresource } = at;
  const status = hasStatus(type);
  const { uid, resourceVersion, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds } = live.metadata;
  const kept = defined({ uid, resourceVersion, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds });
  const whole =
    subresource === 'status'
      ? { ...live, status: wanted['status'] }
      : { ...wanted, ...(status && { status: live['status'] }), metadata: { ...wanted.metadata, ...kept } };
  const next = compacted(
    defined({ ...withKeptAddresses(type, live, withStringData(type, whole as KubeObject)), apiVersion: live.apiVersion, kind: live.kind }),
  );
  const managers = managersOf(next);
  const object = writing.mutate ? within(at, next, writing.mutate(next)) : next;
  const faults = [...finalizerFaults(live, object), ...immutableFaults(type, live, object), ...valueFaults(type, object)];
  if (faults.length > 0) throw invalid(at, faults);
  writing.validate?.(at, object, live);
  const edited = countsEdits(type) && subresource !== 'status' && !same(contentOf(live), contentOf(object));
  const made = compacted({
    ...object,
    metadata: { ...object.metadata, ...(edited && { generation: (generation ?? 0) + 1 }), managedFields: writeManagers(managers) },
  });
  // An update that changes nothing makes no new version, even if the managers' times differ.
  if (same(unmanaged(live), unmanaged(made)) && haveSameFields(readManagers(live.metadata.managedFields), managers)) return live;
  if (writing.dryRun) return made;
  if (!made.metadata.deletionTimestamp || made.metadata.finalizers || isTerminatingPod(type, made)) return storage.put(type, made);
  storage.remove(type, live);
  return made;
}

const defined = <T extends object>(value: T): T => Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;

function finalizerFaults(live: KubeObject, object: KubeObject): readonly FieldFault[] {
  if (!live.metadata.deletionTimestamp) return [];
  const added = (object.metadata.finalizers ?? []).filter((each) => !live.metadata.finalizers?.includes(each));
  if (added.length === 0) return [];
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((each) => JSON.stringify(each)).join(', ')}}`;
  return [{ reason: 'FieldValueForbidden', field: 'metadata.finalizers', message: `Forbidden: ${why}` }];
}

/** The part of a write that a webhook may change: the status by its own path and nowhere else. */
function within({ type, subresource }: At, asked: KubeObject, made: KubeObject): KubeObject {
  if (!hasStatus(type)) return made;
  return defined(subresource === 'status' ? { ...asked, status: made['status'] } : { ...made, status: asked['status'] });
}

/** The part of an object that counts as an edit. */
function contentOf(object: KubeObject): Json {
  const { metadata: _, status: __, ...rest } = object;
  return rest as unknown as Json;
}

function unmanaged(object: KubeObject): Json {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...json(object), metadata: metadata as unknown as Json };
}

const isTerminatingPod = (type: ResourceType, { metadata }: KubeObject): boolean =>
  type.kind === 'Pod' && Number(metadata['deletionGracePeriodSeconds'] ?? 0) > 0;
