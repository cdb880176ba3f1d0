import type { DeleteOptions } from '../kube/contract.ts';
import { timestamp } from '../kube/clock.ts';
import { apiVersionOf, type KubeObject, type ResourceType } from '../kube/types.ts';
import { change } from './change.ts';
import { createCreation } from './creation.ts';
import { withKubernetesDefaults } from './defaults/index.ts';
import { createDeletion } from './deletion.ts';
import { isMap, type Json } from './json.ts';
import { hasStatus, isBuiltIn, traitsOf, unknownFields } from './kinds.ts';
import { afterUpdate, applied, type Manager, readManagers, type Writer } from './managers.ts';
import { patchedBy, type PatchType } from './patches.ts';
import { badRequest, conflict, type FieldFault, invalid, MODIFIED, notFound, notServed, type Target } from './refusals.ts';
import { readMetadata } from './schema/metadata.ts';
import { metadataFaults } from './schema/names.ts';
import type { Schemas } from './schema/index.ts';
import type { Storage } from './storage.ts';
import { type At, json, type Writing } from './writing.ts';

/** The API server's operations on objects, one request at a time; every method throws a Refusal for an answer that is no. */
export interface Objects {
  get(at: At): KubeObject;
  create(type: ResourceType, namespace: string | undefined, object: KubeObject, writing: Writing): KubeObject;
  update(at: At, object: KubeObject, writing: Writing): KubeObject;
  patch(at: At, patchType: PatchType, patch: unknown, writing: Writing): KubeObject;
  apply(at: At, config: KubeObject, writing: Writing): KubeObject;
  delete(at: At, options: DeleteOptions): void;
}

export interface ObjectsOptions {
  readonly storage: Storage;
  readonly now: () => number;
  readonly serves: (type: ResourceType) => boolean;
  /** Schemas of custom resources. Objects without a schema are stored as they come. */
  readonly schemas?: Schemas | undefined;
}

export function createObjects({ storage, now, serves, schemas }: ObjectsOptions): Objects {
  const timestampNow = () => timestamp(now());
  const create = createCreation(storage, timestampNow);
  const remove = createDeletion(storage, timestampNow);

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
    time: timestampNow(),
  });

  /** The object that was sent, as the type's schema reads it, with its defaults. */
  function read(type: ResourceType, sent: KubeObject, { fieldValidation, warn }: Writing, source?: 'body' | 'patch'): KubeObject {
    if (!schemas?.knows(type)) return withKubernetesDefaults(type, sent);
    const { object, warnings } = schemas.read(type, sent, fieldValidation, source);
    for (const text of warnings) warn?.(text);
    return object;
  }
  /** With the schema's word on what is stored, after that of webhooks. */
  function guarded(type: ResourceType, writing: Writing): Writing {
    const { mutate } = writing;
    if (isBuiltIn(type))
      return {
        ...writing,
        ...(mutate && { mutate: (object) => withKubernetesDefaults(type, mutate(object)) }),
        validate(at, object, old) {
          const faults = metadataFaults(object.metadata, old === undefined, traitsOf(type).named);
          if (faults.length > 0) throw invalid(at, faults);
        },
      };
    if (!schemas?.knows(type)) return writing;
    return {
      ...writing,
      ...(mutate && { mutate: (object) => schemas.read(type, mutate(object), 'Ignore').object }),
      validate: schemas.validate,
    };
  }

  function written(at: At, live: KubeObject, wanted: KubeObject, writing: Writing): KubeObject {
    const given = readManagers(wanted.metadata.managedFields);
    const writer = writerOf(at, 'Update', writing);
    return change(storage, at, live, wanted, guarded(at.type, writing), (next) =>
      afterUpdate(json(live), json(next), given, writer, hasStatus(at.type)),
    );
  }

  return {
    get: found,
    create(type, namespace, sent, writing) {
      if (!serves(type)) throw notServed();
      checkMetadata(sent, type);
      strict(type, sent, writing);
      const at: Target = { type, namespace, name: sent.metadata.name };
      const writer = writerOf(at, 'Update', writing);
      const object = read(type, sent, writing);
      return create(type, namespace, object, guarded(type, writing), (born) => afterUpdate({}, json(born), [], writer, hasStatus(type)));
    },
    update(at, body, writing) {
      const live = found(at);
      checkMetadata(body, at.type);
      strict(at.type, body, writing);
      const sent = read(at.type, body, writing);
      if (sent.metadata.resourceVersion !== undefined && sent.metadata.resourceVersion !== live.metadata.resourceVersion)
        throw conflict(at, MODIFIED);
      const { uid } = sent.metadata;
      if (uid !== undefined && uid !== live.metadata.uid)
        throw conflict(at, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`);
      const managedFields = sent.metadata.managedFields?.length ? sent.metadata.managedFields : live.metadata.managedFields;
      return written(at, live, { ...sent, metadata: { ...sent.metadata, managedFields } } as KubeObject, writing);
    },
    patch(at, patchType, patch, writing) {
      const live = found(at);
      const patched = patchedBy(patchType, at.type, live, patch);
      checkPatched(at, patched);
      strict(at.type, patched, writing);
      const wanted = read(at.type, patched, writing, 'patch');
      if (wanted.metadata.resourceVersion !== live.metadata.resourceVersion) throw conflict(at, MODIFIED);
      // The status path of a custom resource takes nothing but the status.
      const isStatusOnly = at.subresource === 'status' && !isBuiltIn(at.type);
      if (wanted.metadata.uid !== live.metadata.uid && !isStatusOnly) throw invalid(at, [uidFault(wanted.metadata.uid)]);
      return written(at, live, wanted, writing);
    },
    apply(at, config, writing) {
      if (!serves(at.type)) throw notServed();
      checkMetadata(config, at.type);
      strict(at.type, config, writing);
      if (config.metadata.managedFields) throw badRequest('metadata.managedFields must be nil');
      schemas?.checkApplied(at, config);
      const writer = writerOf(at, 'Apply', writing);
      const silent = { ...writing, fieldValidation: 'Ignore' } as const;
      const live = storage.get(at.type, at.namespace, at.name);
      if (!live) {
        if (config.metadata.uid)
          throw conflict(at, `uid mismatch: the provided object specified uid ${config.metadata.uid}, and no existing object was found`);
        return create(
          at.type,
          at.namespace,
          read(at.type, config, silent),
          guarded(at.type, writing),
          () => applied({}, json(config), [], writer, true, hasStatus(at.type)).managers,
        );
      }
      const { uid, resourceVersion } = config.metadata;
      if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion) throw conflict(at, MODIFIED);
      if (uid !== undefined && uid !== live.metadata.uid) throw invalid(at, [uidFault(uid)]);
      const before = managersBeforeApply(at.type, live, writer);
      const merged = applied(json(live), json(config), before, writer, writing.force ?? false, hasStatus(at.type));
      const next = read(at.type, merged.object as unknown as KubeObject, silent);
      return change(storage, at, live, next, guarded(at.type, writing), () => merged.managers);
    },
    delete: (at, options) => remove(at, found(at), options),
  };
}

/** The owner of the fields of an object that was never written with managers, before its first apply. */
function managersBeforeApply(type: ResourceType, live: KubeObject, writer: Writer): readonly Manager[] {
  const managers = readManagers(live.metadata.managedFields);
  if (managers.length > 0) return managers;
  return afterUpdate({}, json(live), [], { ...writer, manager: 'before-first-apply', operation: 'Update' }, hasStatus(type));
}

/** Metadata that Go could not read would be met by all who read the object later. */
function checkMetadata(object: KubeObject, sent?: ResourceType): void {
  const metadata: unknown = (object as Partial<KubeObject> | null)?.metadata;
  if (!isMap(metadata as Json)) throw badRequest('metadata: expected a map');
  const read = readMetadata(metadata as Json);
  if (!('error' in read)) return;
  const { kind, version } = sent ?? {};
  throw badRequest(sent ? `${kind} in version "${version}" cannot be handled as a ${kind}: ${read.error}` : read.error);
}

/** A patch may make anything of an object but another one. */
function checkPatched({ namespace, name }: At, patched: KubeObject): void {
  checkMetadata(patched);
  if (patched.metadata.name !== name)
    throw badRequest(`the name of the object (${patched.metadata.name}) does not match the name on the URL (${name})`);
  if (namespace !== undefined && patched.metadata.namespace !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

const uidFault = (uid: string | undefined): FieldFault => ({
  reason: 'FieldValueInvalid',
  field: 'metadata.uid',
  message: `Invalid value: ${JSON.stringify(uid ?? '')}: field is immutable`,
});

function strict(type: ResourceType, object: KubeObject, { fieldValidation }: Writing): void {
  const unknown = fieldValidation === 'Strict' ? unknownFields(type, object) : [];
  if (unknown.length > 0) {
    const said = unknown.map((field) => `unknown field ${JSON.stringify(field)}`).join(', ');
    throw badRequest(`${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: strict decoding error: ${said}`);
  }
}
