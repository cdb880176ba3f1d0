import { applyPatch, type Operation } from 'rfc6902';
import type { DeleteOptions } from '../../kube/contract.ts';
import { apiVersionOf, type KubeObject, type ObjectMeta, type ResourceType } from '../../kube/types.ts';
import { compacted, isMap, type Json, type JsonMap, same } from './fields.ts';
import { immutableFaults } from './immutable.ts';
import { countsEdits, hasStatus, isBuiltIn, protectedFromLoss, unknownFields, withFirstStatus } from './kinds.ts';
import { afterUpdate, applied, haveSameFields, type Manager, readManagers, type Writer, writeManagers } from './managers.ts';
import {
  alreadyExists,
  badRequest,
  conflict,
  type Fault,
  forbidden,
  invalid,
  MODIFIED,
  notFound,
  notServed,
  patchFailed,
  type Target,
} from './refusals.ts';
import type { Storage } from './storage.ts';

/** Who writes, and how strictly. */
export interface Writing {
  readonly manager: string;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore' | undefined;
  readonly dryRun?: boolean | undefined;
  readonly force?: boolean | undefined;
  /** What an admission webhook makes of the object. */
  readonly mutate?: ((object: KubeObject) => KubeObject) | undefined;
}
export interface At extends Target {
  readonly name: string;
}

/** What the API server does with objects, one request at a time; every method throws a Refusal for an answer that is no. */
export interface Objects {
  get(at: At): KubeObject;
  create(type: ResourceType, namespace: string | undefined, object: KubeObject, writing: Writing): KubeObject;
  update(at: At, object: KubeObject, writing: Writing): KubeObject;
  patch(at: At, kind: 'json' | 'merge', patch: unknown, writing: Writing): KubeObject;
  apply(at: At, config: KubeObject, writing: Writing): KubeObject;
  /** With `gracePeriodSeconds: 0` as a kubelet does it, whose pod has ended. */
  delete(at: At, options: DeleteOptions & { readonly gracePeriodSeconds?: 0 }): void;
}

export interface ObjectsOptions {
  readonly storage: Storage;
  readonly now: () => number;
  readonly serves: (type: ResourceType) => boolean;
}

export function createObjects({ storage, now, serves }: ObjectsOptions): Objects {
  let serial = 0;
  const timestamp = () => new Date(now()).toISOString().replace(/\.\d+/, '');

  function found(at: At): KubeObject {
    if (!serves(at.type)) throw notServed();
    const object = storage.get(at.type, at.namespace, at.name);
    if (!object) throw notFound(at);
    return object;
  }
  const writerOf = ({ type, subresource }: Target, operation: Writer['operation'], { manager }: Writing): Writer => ({
    manager,
    operation,
    apiVersion: apiVersionOf(type),
    ...(subresource && { subresource }),
    time: timestamp(),
  });

  function create(
    type: ResourceType,
    namespace: string | undefined,
    sent: KubeObject,
    writing: Writing,
    managersOf: (object: KubeObject) => readonly Manager[],
  ): KubeObject {
    const { generateName } = sent.metadata as { generateName?: string };
    const name = sent.metadata.name ?? (generateName && `${generateName}${(++serial).toString(36).padStart(5, '0')}`);
    const at: Target = { type, namespace, name };
    if (!name) throw invalid(at, [required('metadata.name', 'name or generateName is required')]);
    mayCreateIn(at);
    if (storage.get(type, namespace, name)) throw alreadyExists(at);
    const { uid: _, resourceVersion: __, managedFields: ___, deletionTimestamp: ____, generation: _____, ...metadata } = sent.metadata;
    const born: KubeObject = {
      ...withStringData(sent),
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      metadata: {
        ...metadata,
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
    const object = writing.mutate ? withFirstStatus(type, writing.mutate(admitted)) : admitted;
    const made = compacted({ ...object, metadata: { ...object.metadata, managedFields: writeManagers(managers) } });
    return writing.dryRun ? made : storage.put(type, made);
  }

  function mayCreateIn(at: Target): void {
    if (!at.type.namespaced) return;
    const namespace = storage.get({ group: '', plural: 'namespaces', namespaced: false } as ResourceType, undefined, at.namespace ?? '');
    if (!namespace) throw notFound({ type: { ...at.type, group: '', plural: 'namespaces' }, name: at.namespace });
    if (namespace.metadata.deletionTimestamp)
      throw forbidden(
        at,
        `unable to create new content in namespace ${at.namespace} because it is being terminated`,
        'NamespaceTerminating',
      );
  }

  /** The stored object after a write: fields that only the server writes stay, and so do those of the other endpoint, status or spec. */
  function change(at: At, live: KubeObject, wanted: KubeObject, writing: Writing, managersOf: Merge): KubeObject {
    const { type, subresource } = at;
    const status = hasStatus(type);
    const { uid, resourceVersion, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds } = live.metadata;
    const kept = defined({ uid, resourceVersion, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds });
    const whole =
      subresource === 'status'
        ? { ...live, status: wanted['status'] }
        : { ...wanted, ...(status && { status: live['status'] }), metadata: { ...wanted.metadata, ...kept } };
    const next = compacted(defined({ ...withStringData(whole as KubeObject), apiVersion: live.apiVersion, kind: live.kind }));
    const managers = managersOf(next);
    const object = writing.mutate ? within(at, next, writing.mutate(next)) : next;
    const faults = [...finalizerFaults(live, object), ...immutableFaults(type, live, object)];
    if (faults.length > 0) throw invalid(at, faults);
    const edited = countsEdits(type) && subresource !== 'status' && !same(contentOf(live), contentOf(object));
    const made = compacted({
      ...object,
      metadata: { ...object.metadata, ...(edited && { generation: (generation ?? 0) + 1 }), managedFields: writeManagers(managers) },
    });
    // Nothing happened: no new version, whatever the times of the managers say.
    if (same(unmanaged(live), unmanaged(made)) && haveSameFields(readManagers(live.metadata.managedFields), managers)) return live;
    if (writing.dryRun) return made;
    if (!made.metadata.deletionTimestamp || made.metadata.finalizers || isTerminatingPod(type, made)) return storage.put(type, made);
    storage.remove(type, live);
    return made;
  }

  function written(at: At, live: KubeObject, wanted: KubeObject, writing: Writing): KubeObject {
    const given = readManagers(wanted.metadata.managedFields);
    const writer = writerOf(at, 'Update', writing);
    return change(at, live, wanted, writing, (next) => afterUpdate(json(live), json(next), given, writer, hasStatus(at.type)));
  }

  return {
    get: found,
    create(type, namespace, sent, writing) {
      if (!serves(type)) throw notServed();
      strict(type, sent, writing);
      const at: Target = { type, namespace, name: sent.metadata.name };
      const writer = writerOf(at, 'Update', writing);
      return create(type, namespace, sent, writing, (born) => afterUpdate({}, json(born), [], writer, hasStatus(type)));
    },
    update(at, sent, writing) {
      const live = found(at);
      strict(at.type, sent, writing);
      if (sent.metadata.resourceVersion !== undefined && sent.metadata.resourceVersion !== live.metadata.resourceVersion)
        throw conflict(at, MODIFIED);
      const { uid } = sent.metadata;
      if (uid !== undefined && uid !== live.metadata.uid)
        throw conflict(at, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`);
      const managedFields = sent.metadata.managedFields?.length ? sent.metadata.managedFields : live.metadata.managedFields;
      return written(at, live, { ...sent, metadata: { ...sent.metadata, managedFields } } as KubeObject, writing);
    },
    patch(at, kind, patch, writing) {
      const live = found(at);
      const wanted = (kind === 'json' ? jsonPatched(live, patch) : mergePatched(json(live), patch as Json)) as unknown as KubeObject;
      strict(at.type, wanted, writing);
      if (wanted.metadata.resourceVersion !== live.metadata.resourceVersion) throw conflict(at, MODIFIED);
      // Of a custom resource the path of the status takes nothing but the status.
      const isStatusOnly = at.subresource === 'status' && !isBuiltIn(at.type);
      if (wanted.metadata.uid !== live.metadata.uid && !isStatusOnly) throw invalid(at, [uidFault(wanted.metadata.uid)]);
      return written(at, live, wanted, writing);
    },
    apply(at, config, writing) {
      if (!serves(at.type)) throw notServed();
      strict(at.type, config, writing);
      if (config.metadata.managedFields) throw badRequest('metadata.managedFields must be nil');
      const writer = writerOf(at, 'Apply', writing);
      const live = storage.get(at.type, at.namespace, at.name);
      if (!live) {
        if (config.metadata.uid)
          throw conflict(at, `uid mismatch: the provided object specified uid ${config.metadata.uid}, and no existing object was found`);
        return create(
          at.type,
          at.namespace,
          config,
          writing,
          () => applied({}, json(config), [], writer, true, hasStatus(at.type)).managers,
        );
      }
      const { uid, resourceVersion } = config.metadata;
      if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion) throw conflict(at, MODIFIED);
      if (uid !== undefined && uid !== live.metadata.uid) throw invalid(at, [uidFault(uid)]);
      const before = managersBeforeApply(live, writer);
      const merged = applied(json(live), json(config), before, writer, writing.force ?? false, hasStatus(at.type));
      return change(at, live, merged.object as unknown as KubeObject, writing, () => merged.managers);
    },
    delete(at, options) {
      const live = found(at);
      const { uid, resourceVersion, propagation = 'Background' } = options;
      if (uid !== undefined && uid !== live.metadata.uid) throw conflict(at, preconditionFailed('UID', uid, live.metadata.uid));
      if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion)
        throw conflict(at, preconditionFailed('ResourceVersion', resourceVersion, live.metadata.resourceVersion));
      const waits = { Background: [], Foreground: ['foregroundDeletion'], Orphan: ['orphan'] }[propagation];
      const finalizers = [...new Set([...(live.metadata.finalizers ?? []), ...waits])];
      const grace = options.gracePeriodSeconds ?? graceOf(at.type, live);
      if (finalizers.length === 0 && grace === 0 && at.type.kind !== 'Namespace') return storage.remove(at.type, live);
      if (live.metadata.deletionTimestamp && (grace > 0 || live.metadata['deletionGracePeriodSeconds'] === 0)) return;
      const { generation } = live.metadata;
      storage.put(at.type, {
        ...live,
        metadata: {
          ...live.metadata,
          ...(finalizers.length > 0 && { finalizers }),
          ...(generation && { generation: generation + 1 }),
          deletionTimestamp: timestamp(),
          deletionGracePeriodSeconds: grace,
        },
        ...(at.type.kind === 'Namespace' && { status: { phase: 'Terminating' } }),
      });
    },
  };

  /** The owner of the fields of an object that was never written with managers, before its first apply. */
  function managersBeforeApply(live: KubeObject, writer: Writer): readonly Manager[] {
    const managers = readManagers(live.metadata.managedFields);
    if (managers.length > 0) return managers;
    return afterUpdate({}, json(live), [], { ...writer, manager: 'before-first-apply', operation: 'Update' }, hasStatus(typeless(live)));
  }
}

type Merge = (next: KubeObject) => readonly Manager[];

// Objects are what came in as JSON.
const json = (object: KubeObject): JsonMap => object as unknown as JsonMap;
const typeless = ({ apiVersion, kind }: KubeObject): ResourceType =>
  ({ group: apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '', kind }) as ResourceType;
const defined = <T extends object>(value: T): T => Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;
const required = (field: string, why: string): Fault => ({ reason: 'FieldValueRequired', field, message: `Required value: ${why}` });

const uidFault = (uid: string | undefined): Fault => ({
  reason: 'FieldValueInvalid',
  field: 'metadata.uid',
  message: `Invalid value: ${JSON.stringify(uid ?? '')}: field is immutable`,
});
const preconditionFailed = (what: string, expected: string, found: string | undefined): string =>
  `the ${what} in the precondition (${expected}) does not match the ${what} in record (${found}). The object might have been deleted and then recreated`;

function strict(type: ResourceType, object: KubeObject, { fieldValidation }: Writing): void {
  const unknown = fieldValidation === 'Strict' ? unknownFields(type, object) : [];
  if (unknown.length > 0) {
    const said = unknown.map((field) => `unknown field ${JSON.stringify(field)}`).join(', ');
    throw badRequest(`${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: strict decoding error: ${said}`);
  }
}

function withStringData(object: KubeObject): KubeObject {
  const { stringData, ...rest } = object;
  if (object.kind !== 'Secret' || stringData === undefined) return object;
  const encoded = Object.entries(stringData as Record<string, string>).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return { ...rest, data: { ...(object['data'] as object | undefined), ...Object.fromEntries(encoded) } } as KubeObject;
}

/** RFC 7386, section 2. */
function mergePatched(target: Json | undefined, patch: Json): Json {
  if (!isMap(patch)) return patch;
  const result: Record<string, Json> = isMap(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatched(result[key], value);
  }
  return result;
}

function jsonPatched(live: KubeObject, patch: unknown): Json {
  const object = structuredClone(live);
  const failure = applyPatch(object, patch as Operation[]).find((result) => result !== null);
  if (failure) throw patchFailed('the server rejected our request due to an error in our request');
  return object as unknown as Json;
}

function finalizerFaults(live: KubeObject, object: KubeObject): readonly Fault[] {
  if (!live.metadata.deletionTimestamp) return [];
  const added = (object.metadata.finalizers ?? []).filter((each) => !live.metadata.finalizers?.includes(each));
  if (added.length === 0) return [];
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((each) => JSON.stringify(each)).join(', ')}}`;
  return [{ reason: 'FieldValueForbidden', field: 'metadata.finalizers', message: `Forbidden: ${why}` }];
}

/** What a webhook may change by a write: the status by its own path and nowhere else. */
function within({ type, subresource }: At, asked: KubeObject, made: KubeObject): KubeObject {
  if (!hasStatus(type)) return made;
  return defined(subresource === 'status' ? { ...asked, status: made['status'] } : { ...made, status: asked['status'] });
}

/** What counts as an edit of it. */
function contentOf(object: KubeObject): Json {
  const { metadata: _, status: __, ...rest } = object;
  return rest as unknown as Json;
}

function unmanaged(object: KubeObject): Json {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...json(object), metadata: metadata as unknown as Json };
}

/** Pods that run get time to end; who ends them is the kubelet. */
function graceOf(type: ResourceType, { spec, status }: KubeObject): number {
  if (type.kind !== 'Pod' || type.group !== '') return 0;
  const { nodeName, terminationGracePeriodSeconds = 30 } = spec as { nodeName?: string; terminationGracePeriodSeconds?: number };
  const { phase } = (status ?? {}) as { phase?: string };
  return nodeName && phase !== 'Succeeded' && phase !== 'Failed' ? terminationGracePeriodSeconds : 0;
}
const isTerminatingPod = (type: ResourceType, { metadata }: KubeObject): boolean =>
  type.kind === 'Pod' && Number(metadata['deletionGracePeriodSeconds'] ?? 0) > 0;
