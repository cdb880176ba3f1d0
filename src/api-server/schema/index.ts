import type { KubeObject, ResourceType } from '../../kube/types.ts';
import { definitionSpec, type ScalePaths } from '../definition.ts';
import type { Json, JsonMap } from '../json.ts';
import { badRequest, type FieldFault, invalid, Refusal, type Target } from '../refusals.ts';
import { pruned, withDefaults, withoutNulls } from './decode.ts';
import { invalidValue, WHOLE } from './faults.ts';
import { listTypeFaults } from './lists.ts';
import { readMetadata } from './metadata.ts';
import { metadataFaults } from './names.ts';
import { compileRules, type SchemaRules } from './rules.ts';
import { scaleFaults } from './scale.ts';
import type { StructuralSchema } from './structural.ts';
import { typedFaults } from './typed.ts';
import { schemaFaults } from './validate.ts';

/** How a request wants unknown fields to be answered. The server's own default is Warn. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** An object as the server reads it. */
export interface ReadObject {
  readonly object: KubeObject;
  /** Texts of `Warning` headers. */
  readonly warnings: readonly string[];
}

/** Custom resources by the schemas of their definitions. Both methods throw a Refusal for an answer that is no. */
export interface Schemas {
  /** Whether a schema is known. Other types pass unchanged. */
  knows(type: ResourceType): boolean;
  /**
   * Reads what was sent, or what a patch has made: unknown fields go, defaults come. With Strict, an unknown field is refused.
   * @param source of a patch, the refusal names the patch
   */
  read(type: ResourceType, object: KubeObject, fieldValidation: FieldValidation | undefined, source?: 'body' | 'patch'): ReadObject;
  /**
   * Whether server-side apply can merge a configuration: it has no unknown field and no value of another sort.
   */
  checkApplied(at: Target, config: KubeObject): void;
  /**
   * Whether an object may be stored, after webhooks had their say. On the path of the status, only the status is looked at.
   * @param old what it replaces; its faults are forgiven where nothing changed
   */
  validate(target: Target, object: KubeObject, old?: KubeObject): void;
}

interface Known {
  readonly schema: StructuralSchema;
  readonly rules: SchemaRules;
  readonly scale: ScalePaths | undefined;
}

const keyOf = (group: string, version: string, kind: string) => `${group}/${version}/${kind}`;

/**
 * The schemas of CustomResourceDefinitions.
 * @param crds as the files under crds/ hold them
 * @throws Error for a rule in CEL that the server in memory does not know
 * @example
 * createSchemas([crdOf(Dataset)]).read(typeOf(Dataset), object, 'Strict'); // throws: strict decoding error: unknown field "spec.mount"
 */
export function createSchemas(crds: readonly object[]): Schemas {
  const known = new Map<string, Known>();
  for (const { group, names, versions } of crds.map(definitionSpec))
    for (const { name, schema, subresources } of versions) {
      const whole = schema?.openAPIV3Schema ?? { 'x-kubernetes-preserve-unknown-fields': true };
      known.set(keyOf(group, name, names.kind), { schema: whole, rules: compileRules(whole), scale: subresources?.scale });
    }
  const find = ({ group, version, kind }: ResourceType) => known.get(keyOf(group, version, kind));

  return {
    knows: (type) => find(type) !== undefined,
    read(type, object, fieldValidation = 'Warn', source = 'body') {
      const schema = find(type)?.schema;
      if (!schema) return { object, warnings: [] };
      const read = readMetadata(object.metadata as Json);
      if ('error' in read) throw unreadable(type, object, read.error, source);
      const { object: kept, unknown: below } = pruned(schema, { ...object, metadata: read.metadata } as JsonMap);
      const unknown = [...read.unknown, ...below].map((path) => `unknown field ${JSON.stringify(path)}`);
      if (fieldValidation === 'Strict' && unknown.length > 0)
        throw unreadable(type, object, `strict decoding error: ${unknown.join(', ')}`, source);
      const complete = withDefaults(schema, withoutNulls(schema, kept)) as unknown as KubeObject;
      return { object: complete, warnings: fieldValidation === 'Warn' ? unknown : [] };
    },
    checkApplied(at, config) {
      const schema = find(at.type)?.schema;
      const faults = schema ? typedFaults(schema, config as unknown as JsonMap) : [];
      if (faults.length > 0) throw untyped(at, config, faults);
    },
    validate(target, object, old) {
      const found = find(target.type);
      const faults = found ? faultsOf(found, target, object, old) : [];
      if (faults.length > 0) throw invalid(target, faults);
    },
  };
}

function faultsOf(
  { schema, rules, scale }: Known,
  { subresource }: Target,
  object: KubeObject,
  old: KubeObject | undefined,
): readonly FieldFault[] {
  const [now, before] = [object as unknown as JsonMap, old as unknown as JsonMap | undefined];
  const isStatus = subresource === 'status';
  const repeated = before ? listTypeFaults(schema, before) : [];
  const faults = [
    ...metadataFaults(object.metadata, old === undefined),
    ...(isStatus ? statusFaults(schema, now, before) : schemaFaults(schema, now, before)),
    ...(scale ? scaleFaults(scale, now, isStatus ? 'status' : 'all') : []),
    ...(repeated.length === 0 ? listTypeFaults(schema, now) : []),
  ];
  if (!rules.any) return faults;
  const unfinished =
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
  return [
    ...faults,
    ...(faults.some(({ reason }) => STOPS.has(reason)) ? [invalidValue(WHOLE, null, unfinished)] : rules.faults(now, before)),
  ];
}

/** Faults after which rules are not looked at, since they could fail for the same reason. */
const STOPS = new Set(['FieldValueNotSupported', 'FieldValueRequired', 'FieldValueTooLong', 'FieldValueTooMany', 'FieldValueTypeInvalid']);

function statusFaults({ properties = {} }: StructuralSchema, object: JsonMap, old: JsonMap | undefined): readonly FieldFault[] {
  const schema = properties['status'];
  if (!schema || object['status'] === undefined) return [];
  return schemaFaults(schema, object['status'], old?.['status']).map((fault) => ({
    ...fault,
    field: fault.field === WHOLE ? 'status' : `status.${fault.field}`,
  }));
}

/** The answer to a configuration that cannot be merged: the server calls it an error of its own. */
function untyped({ type, name, namespace = '' }: Target, { apiVersion }: KubeObject, faults: readonly string[]): Refusal {
  const list = faults.length === 1 ? faults[0] : ['errors:', ...faults.map((fault) => `  ${fault}`)].join('\n');
  return new Refusal(500, '', `failed to create typed patch object (${namespace}/${name}; ${apiVersion}, Kind=${type.kind}): ${list}`);
}

/** The answer to what cannot be read; of a patch, it has the object that the patch has made. */
function unreadable({ kind, version }: ResourceType, object: KubeObject, why: string, source: 'body' | 'patch'): Refusal {
  if (source === 'body') return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
  const { field, message, reason } = invalidValue('patch', JSON.stringify(object), why);
  return new Refusal(422, 'Invalid', ` "" is invalid: ${field}: ${message}`, { causes: [{ reason, field, message }] });
}
