/** Tables of the fields of operations, made from their schemas. */
import { operationKinds } from '../../src/api/operation-kinds.ts';
import { operationStatus } from '../../src/api/operation.ts';
import { code, table } from './markdown.ts';

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}
interface Field {
  readonly path: string;
  readonly type: string;
  readonly says: string;
}

/** Fields of Kubernetes' own types, which its documentation has. */
const KUBERNETES = new Set([
  'affinity',
  'tolerations',
  'resources',
  'podSpec',
  'env',
  'volumes',
  'volumeMounts',
  'nodeAffinity',
  'conditions',
  'runAs',
]);

/** The fields below a schema, each before those that it has. */
function fieldsOf({ properties = {} }: Schema, above = ''): readonly Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const inner = schema.type === 'array' ? (schema.items ?? {}) : schema;
    const path = `${above}${name}${schema.type === 'array' ? '[]' : ''}`;
    const type = schema.enum ? schema.enum.map((each) => code(each)).join(', ') : typeOf(schema);
    return [{ path, type, says: schema.description ?? '' }, ...(KUBERNETES.has(name) ? [] : fieldsOf(inner, `${path}.`))];
  });
}

const typeOf = ({ type, properties, items }: Schema): string =>
  type === 'array' ? `list${items?.type === 'string' ? ' of strings' : ''}` : type === 'object' && !properties ? 'map' : (type ?? '');

/** The kinds that have each field, once for fields that say the same in each. */
function specRows(): readonly (readonly string[])[] {
  const rows = new Map<string, Field & { readonly kinds: string[] }>();
  // The cast: schemas are JSON Schemas.
  for (const { kind, spec } of operationKinds)
    for (const field of fieldsOf(spec as Schema)) {
      const key = JSON.stringify(field);
      const row = rows.get(key) ?? { ...field, kinds: [] };
      row.kinds.push(kind);
      rows.set(key, row);
    }
  return [...rows.values()].map(({ path, type, says, kinds }) => [
    code(path),
    kinds.length === operationKinds.length ? 'all' : kinds.join(', '),
    type,
    says,
  ]);
}

export const schemaTables: Readonly<Record<string, () => Promise<string>>> = {
  operationFields: async () => table(['field of the spec', 'kinds', 'type', 'what it says'], specRows()),
  operationStatus: async () =>
    table(
      ['field of the status', 'type', 'what it says'],
      // The cast: as above.
      fieldsOf(operationStatus as Schema).map(({ path, type, says }) => [code(path), type, says]),
    ),
};
