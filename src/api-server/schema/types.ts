/** Types and formats of values; rule: kube-openapi's validate/type.go and apiextensions' validation/formats.go. */
import type { Json } from '../json.ts';
import type { FieldFault } from '../refusals.ts';
import { invalidType, WHOLE } from './faults.ts';
import type { StructuralSchema } from './structural.ts';

/** Formats that the server looks at, without dashes; of these, a check for those that schemas of clusters use. Others only document. */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  byte: (text) => /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0,
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
  datetime: (text) =>
    /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.test(text) && !Number.isNaN(Date.parse(text)),
  ipv4: (text) => text.split('.').length === 4 && text.split('.').every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256),
  password: () => true,
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
};

const checkOf = (format = ''): ((text: string) => boolean) | undefined => {
  const name = format.replaceAll('-', '');
  return Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
};

/** JSON's type, and the format that Go's number has. */
function found(value: Json): readonly [type: string, format: string] {
  if (value === null) return ['null', ''];
  if (Array.isArray(value)) return ['array', ''];
  if (typeof value !== 'number') return [typeof value, ''];
  return Number.isInteger(value) ? ['integer', 'int64'] : ['number', 'float64'];
}

const wrong = (path: string, type: string, value: string): readonly FieldFault[] => [
  invalidType(path === '' ? WHOLE : path, value, `${path} in body must be of type ${type}: ${JSON.stringify(value)}`),
];

/** Faults of a value whose type is not the schema's. */
export function typeFaults(schema: StructuralSchema, value: Json, path: string): readonly FieldFault[] {
  const types = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : schema.type ? [schema.type] : [];
  const [type, numeric] = found(value);
  if (value === null) return types.length > 0 && !schema.nullable ? wrong(path, types.join(','), type) : [];
  const format = checkOf(schema.format) ? schema.format : undefined;
  if (types.length === 0 && !format) return [];
  const fits = types.includes(type) || (type === 'integer' && types.includes('number'));
  const isTextual = type === 'string' || type === 'array';
  if (format && !isTextual && !fits) return wrong(path, format, numeric);
  // A list where a text of a format belongs: the server lets it pass.
  if (format && isTextual && !types.includes('number') && !types.includes('integer')) return [];
  return fits ? [] : wrong(path, types.join(','), type);
}

/** Faults of a text that is not of the schema's format. */
export const formatFaults = ({ format }: StructuralSchema, text: string, path: string): readonly FieldFault[] =>
  (checkOf(format)?.(text) ?? true) ? [] : wrong(path, format ?? '', text);
