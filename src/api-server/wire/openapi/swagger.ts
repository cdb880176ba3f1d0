/** All schemas and operations in one document of OpenAPI 2; rule: apiextensions-apiserver's controller/openapi/v2. */
import type { ResourceType } from '../../../kube/types.ts';
import { isMap, type Json, type JsonMap } from '../../json.ts';
import type { StructuralSchema } from '../../schema/structural.ts';
import type { Served } from '../served.ts';
import { pathsOf } from './paths.ts';
import { namedSchemas } from './schemas.ts';

/** Keywords that version 2 lacks. */
const UNKNOWN = new Set(['nullable', 'anyOf', 'oneOf', 'not']);

/** The document of version 2. */
export function swagger(served: readonly Served[], own: (type: ResourceType) => StructuralSchema | undefined, info: object): object {
  const schemas = namedSchemas(
    served.map(({ type }) => type),
    own,
    '#/definitions/',
  );
  const definitions = Object.fromEntries([...schemas].map(([name, schema]) => [name, older(schema)]));
  return { swagger: '2.0', info, paths: olderPaths(pathsOf(served, '#/definitions/') as JsonMap), definitions };
}

function older(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(older);
  if (!isMap(value)) return value;
  const isSchema = typeof value['type'] === 'string' || value['x-kubernetes-int-or-string'] === true;
  const { allOf, ...rest } = value;
  const [only] = (allOf ?? []) as readonly JsonMap[];
  const fields = Object.entries(rest).filter(([key]) => !isSchema || !UNKNOWN.has(key));
  return {
    ...Object.fromEntries(fields.map(([key, each]) => [key, older(each)])),
    ...(only?.['$ref'] !== undefined && { $ref: only['$ref'] }),
  };
}

/** Parameters have their types themselves, bodies are parameters, and media types are of the whole operation. */
function olderPaths(paths: JsonMap): object {
  return mapValues(paths, (item) =>
    mapValues(item as JsonMap, (operation, method) => {
      if (method === 'parameters') return (operation as unknown as readonly Parameter[]).map(olderParameter);
      const { parameters, requestBody, responses, ...rest } = operation as unknown as Operation;
      const taken = Object.entries(requestBody?.content ?? {});
      const [, { schema } = { schema: {} }] = taken[0] ?? [];
      return {
        ...rest,
        consumes: taken.length > 0 ? taken.map(([type]) => type) : ['*/*'],
        produces: ['application/json'],
        parameters: [
          ...parameters.map(olderParameter),
          ...(taken.length > 0 ? [{ name: 'body', in: 'body', required: true, schema }] : []),
        ],
        responses: mapValues(responses as unknown as JsonMap, (response) => {
          const { description, content } = response as unknown as Body & { readonly description: string };
          return { description, schema: content['application/json']?.schema ?? {} };
        }),
      };
    }),
  );
}

interface Body {
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type: string };
}
interface Operation {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body & { readonly description: string }>>;
}
const olderParameter = ({ schema, ...rest }: Parameter) => ({ ...rest, type: schema.type });

const mapValues = (map: JsonMap, change: (value: Json, key: string) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]));
