import { apiVersionOf, type KubeObject, type ObjectMeta, type ResourceType } from '../kube/types.ts';
import { countsEdits, Namespace, protectedFromLoss, withFirstStatus } from './kinds.ts';
import { writeManagers } from './managers.ts';
import { alreadyExists, type FieldFault, forbidden, invalid, notFound, type Target } from './refusals.ts';
import { prepared } from './preparing.ts';
import { refuseOverQuota } from './quota.ts';
import type { Storage } from './storage.ts';
import { valueFaults } from './values.ts';
import { compacted, type Merge, withStringData, type Writing } from './writing.ts';

/** Creates objects: with a name and a uid of its own for each, and nothing that only the server may set. */
export type Creation = (
  type: ResourceType,
  namespace: string | undefined,
  sent: KubeObject,
  writing: Writing,
  managersOf: Merge,
) => KubeObject;

/** @param timestamp of now, as in metadata */
export function createCreation(storage: Storage, timestamp: () => string): Creation {
  /** Number of the last name or uid that the server generated. Objects that existed before took at least one revision each. */
  let serial = storage.everything().length > 0 ? storage.revision : 0;

  function mayCreateIn(at: Target): void {
    if (!at.type.namespaced) return;
    const namespace = storage.get(Namespace, undefined, at.namespace ?? '');
    if (!namespace) throw notFound({ type: { ...at.type, group: '', plural: 'namespaces' }, name: at.namespace });
    if (namespace.metadata.deletionTimestamp)
      throw forbidden(
        at,
        `unable to create new content in namespace ${at.namespace} because it is being terminated`,
        'NamespaceTerminating',
      );
  }

  return (type, namespace, sent, writing, managersOf) => {
    const { generateName } = sent.metadata as { generateName?: string };
    const name = sent.metadata.name ?? (generateName && `${generateName}${(++serial).toString(36).padStart(5, '0')}`);
    const at: Target = { type, namespace, name };
    if (!name) throw invalid(at, [required('metadata.name', 'name or generateName is required')]);
    mayCreateIn(at);
    if (storage.get(type, namespace, name)) throw alreadyExists(at);
    const { uid: _, resourceVersion: __, managedFields: ___, deletionTimestamp: ____, generation: _____, ...metadata } = sent.metadata;
    const born: KubeObject = {
      ...withStringData(type, sent),
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      metadata: {
        ...metadata,
        ...(type.kind === 'Namespace' && { labels: { ...metadata.labels, 'kubernetes.io/metadata.name': name } }),
        name,
        ...(type.namespaced && { namespace }),
        uid: `00000000-0000-4000-8000-${String(++serial).padStart(12, '0')}`,
        creationTimestamp: timestamp(),
        ...(countsEdits(type) && { generation: 1 }),
      } as ObjectMeta,
    };
    // Field ownership is computed before admission: fields that webhooks add have no owner.
    const managers = managersOf(withFirstStatus(type, born));
    const admitted = protectedFromLoss(type, withFirstStatus(type, born));
    const object = prepared(type, writing.mutate ? withFirstStatus(type, writing.mutate(admitted)) : admitted);
    const made = compacted({ ...object, metadata: { ...object.metadata, managedFields: writeManagers(managers) } });
    const faults = valueFaults(type, made);
    if (faults.length > 0) throw invalid(at, faults);
    writing.validate?.(at, made);
    refuseOverQuota(storage, at, made);
    return writing.dryRun ? made : storage.put(type, made);
  };
}

const required = (field: string, why: string): FieldFault => ({ reason: 'FieldValueRequired', field, message: `Required value: ${why}` });
