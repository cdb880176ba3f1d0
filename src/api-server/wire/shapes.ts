/** Whether objects of Kubernetes' own kinds have the shape that controllers read. Values are not checked, only what sort they are. */
import type { KubeObject } from '../../kube/types.ts';
import { isMap, type Json, type JsonMap } from '../json.ts';
import { badRequest, type FieldFault, invalid, type Target } from '../refusals.ts';
import { readMetadata } from '../schema/metadata.ts';
import { kubernetesSchema, schemaName } from './openapi/schemas.ts';

/** @throws Refusal for a name that no path can have, and for a field of another sort than its schema says, or that is missing */
export function checkShape({ type, namespace }: Target, object: KubeObject): void {
  const at: Target = { type, namespace, name: object.metadata?.name };
  const { metadata } = object as { readonly metadata?: unknown };
  const read = isMap(metadata as Json) ? readMetadata(metadata as Json) : { error: 'metadata: expected a map' };
  if ('error' in read) throw unreadable(at, read.error);
  const { name } = object.metadata;
  if (name !== undefined && (/[/%]/.test(name) || name === '.' || name === '..'))
    throw invalid(at, [
      {
        reason: 'FieldValueInvalid',
        field: 'metadata.name',
        message: `Invalid value: ${JSON.stringify(name)}: may not contain '/' or '%', or be '.' or '..'`,
      },
    ]);
  const schema = SCHEMAS[at.type.kind] ?? kubernetesSchema(schemaName(at.type));
  if (!schema) return;
  const missing: FieldFault[] = [];
  const { metadata: _, ...rest } = object;
  if (WITH_SPEC.has(at.type.kind) && !isMap((object['spec'] ?? null) as Json))
    missing.push({ reason: 'FieldValueRequired', field: 'spec', message: 'Required value' });
  walk(schema, rest as unknown as JsonMap, '', at, missing);
  if (missing.length > 0) throw invalid(at, missing);
}

/** Kinds that do nothing without a spec; the published schemas leave that check to the server. */
const WITH_SPEC = new Set('CronJob DaemonSet Deployment Job PersistentVolume PersistentVolumeClaim Pod ReplicaSet StatefulSet'.split(' '));

const unreadable = ({ type: { kind, version } }: Target, why: string) =>
  badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);

function walk(schema: JsonMap, value: Json, path: string, at: Target, missing: FieldFault[]): void {
  const { $ref } = schema;
  const found = typeof $ref === 'string' ? kubernetesSchema($ref) : schema;
  // Go reads null as if the field were absent.
  if (!found || value === null || value === undefined) return;
  const { type, format, properties, items, additionalProperties, required = [] } = found;
  if (!isOf(value, String(type), String(format)))
    throw unreadable(at, `${path || 'object'}: expected ${String(type)}, found ${sortOf(value)}`);
  if (Array.isArray(value)) {
    if (isMap(items)) (value as readonly Json[]).forEach((each, i) => walk(items, each, `${path}[${i}]`, at, missing));
    return;
  }
  if (!isMap(value)) return;
  const below = (key: string) => (path === '' ? key : `${path}.${key}`);
  const known = (isMap(properties) ? properties : {}) as Readonly<Record<string, Json>>;
  for (const [key, each] of Object.entries(value)) {
    const of = known[key] ?? additionalProperties;
    if (isMap(of) && key !== 'metadata') walk(of, each, below(key), at, missing);
  }
  for (const key of required as readonly string[])
    if ((value[key] === undefined || value[key] === null) && !(key === 'metadata' && path === ''))
      missing.push({ reason: 'FieldValueRequired', field: below(key), message: 'Required value' });
}

function isOf(value: Json, type: string, format: string): boolean {
  if (type === 'string') return typeof value === 'string' || (typeof value === 'number' && /int-or-string|undefined/.test(format));
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return typeof value === 'number';
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'array') return Array.isArray(value);
  return type !== 'object' || isMap(value);
}
const sortOf = (value: Json): string => (Array.isArray(value) ? 'array' : typeof value);

const text: JsonMap = { type: 'string' };
const map = (properties: JsonMap, required: readonly string[] = []): JsonMap => ({ type: 'object', properties, required });
const list = (items: JsonMap): JsonMap => ({ type: 'array', items });
/** Schemas of kinds that are not published here, and that the server itself reads. */
const SCHEMAS: Readonly<Record<string, JsonMap>> = {
  CustomResourceDefinition: map(
    {
      spec: map(
        {
          group: text,
          scope: text,
          names: map({ kind: text, plural: text, singular: text, shortNames: list(text), categories: list(text) }, ['kind', 'plural']),
          versions: list(map({ name: text, served: { type: 'boolean' }, storage: { type: 'boolean' } }, ['name', 'served', 'storage'])),
        },
        ['group', 'scope', 'names', 'versions'],
      ),
    },
    ['spec'],
  ),
  MutatingWebhookConfiguration: map({
    webhooks: list(
      map(
        {
          name: text,
          clientConfig: map({ url: text, caBundle: text, service: map({ name: text, namespace: text, path: text }) }),
          rules: list(
            map({ apiGroups: list(text), operations: list(text), resources: list(text) }, ['apiGroups', 'operations', 'resources']),
          ),
          objectSelector: { $ref: 'LabelSelector' },
          namespaceSelector: { $ref: 'LabelSelector' },
          timeoutSeconds: { type: 'integer' },
        },
        ['name', 'clientConfig'],
      ),
    ),
  }),
};
