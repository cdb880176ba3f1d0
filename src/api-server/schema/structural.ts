import { isMap, type Json, type JsonMap } from '../json.ts';

/** A structural schema, the part of OpenAPI that a CustomResourceDefinition may use; rule: apiextensions/v1 JSONSchemaProps. */
export interface StructuralSchema {
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly default?: Json;
  readonly nullable?: boolean;
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly required?: readonly string[];
  readonly items?: StructuralSchema;
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly anyOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly allOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

/** A rule in CEL; `message` is what is said when it is broken. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly fieldPath?: string;
  readonly reason?: string;
}

/** Schema of a map's other values. A bare `true` has none: what is below it is unknown. */
export const additionalOf = ({ additionalProperties }: StructuralSchema): StructuralSchema | undefined =>
  typeof additionalProperties === 'object' ? additionalProperties : undefined;

/** Schema of a field, by name or as one of a map's. */
export const fieldSchema = (schema: StructuralSchema | undefined, name: string): StructuralSchema | undefined =>
  schema && (ownOf(schema, name) ?? additionalOf(schema));

/** Schema of a field that has one by name; what an object inherits is none. */
export const ownOf = ({ properties }: StructuralSchema, name: string): StructuralSchema | undefined =>
  properties && Object.hasOwn(properties, name) ? properties[name] : undefined;

/** The path of a field in messages: `spec.mounts[0].name`. */
export const fieldPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
export const indexPath = (path: string, index: number): string => `${path}[${index}]`;

/** Each field or entry of a value replaced; undefined leaves a field out. Scalars stay. */
export function mapped(
  value: Json,
  field: (name: string, value: Json) => Json | undefined,
  entry: (index: number, value: Json) => Json,
): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((each, index) => entry(index, each));
  if (!isMap(value)) return value;
  const fields: [string, Json][] = [];
  for (const [name, each] of Object.entries(value)) {
    const now = field(name, each);
    if (now !== undefined) fields.push([name, now]);
  }
  return Object.fromEntries(fields) as JsonMap;
}
