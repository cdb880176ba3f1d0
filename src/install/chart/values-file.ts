import { stringify } from 'yaml';
import { DEFAULTS } from '../settled.ts';
import { isPart, PARTS, type Schema, schemaOfValues, type Value, valuesOf } from '../values.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The release has the namespace. */
const OF_RELEASE = 'namespace';

/** The JSON schema of the values, by which helm refuses what it does not know. */
export function valuesSchema(): object {
  const { properties, ...schema } = jsonSchema(schemaOfValues());
  const { [OF_RELEASE]: _, ...ours } = properties as Readonly<Record<string, Fields>>;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of Sluice',
    ...schema,
    properties: {
      ...ours,
      ...Object.fromEntries(PARTS.map((part) => [part, { ...ours[part], required: needed(DEFAULTS[part], isScalar) }])),
      // Helm gives these to each chart.
      global: { type: 'object' },
    },
    required: needed(DEFAULTS, () => true),
  };
}

const isScalar = (value: unknown): boolean => typeof value !== 'object';
/** Names of values that the templates need: helm removes a default whose value is null. */
const needed = (defaults: object, isNeeded: (value: unknown) => boolean): readonly string[] =>
  Object.entries(defaults).flatMap(([key, value]) => (key !== OF_RELEASE && isNeeded(value) ? [key] : []));

/** A schema of Kubernetes as JSON schema: unknown fields are faults, and `x-kubernetes-` means nothing. */
function jsonSchema(schema: Schema): Fields {
  const own = Object.fromEntries(Object.entries(schema).filter(([key]) => !key.startsWith('x-kubernetes-') && key !== 'format'));
  const { properties, items, additionalProperties } = schema;
  return {
    ...own,
    ...(schema['x-kubernetes-int-or-string'] === true && { type: ['integer', 'string'] }),
    ...(items && { items: jsonSchema(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: jsonSchema(additionalProperties) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, jsonSchema(each)])),
      additionalProperties: false,
    }),
  };
}

/** The file of all values and what they are for; those without a default are comments. */
export function valuesFile(image: string): string {
  const values = valuesOf().filter(({ path }) => path !== OF_RELEASE);
  const common = values.filter(({ path }) => !isPart(path.split('.')[0] ?? ''));
  const parts = PARTS.flatMap((part) => [
    '',
    `${part}:`,
    ...values.filter(({ path }) => path.startsWith(`${part}.`)).flatMap((value) => linesOf(value).map((line) => `  ${line}`)),
  ]);
  return [...common.flatMap((value) => linesOf(value.path === 'image' ? { ...value, usual: image } : value)), ...parts, ''].join('\n');
}

function linesOf({ path, schema: { description, enum: choices, type = '' }, usual }: Value): readonly string[] {
  return [
    ...(description === undefined ? [] : wrapped(description)),
    ...(choices ? [`# One of ${choices.join(', ')}.`] : []),
    ...entryOf(path.slice(path.indexOf('.') + 1), usual ?? EMPTY[type]),
  ];
}

const EMPTY: Fields = { array: [], object: {} };

const entryOf = (name: string, value: unknown): readonly string[] =>
  value === undefined
    ? [`# ${name}:`]
    : stringify({ [name]: value }, { lineWidth: 0 })
        .trimEnd()
        .split('\n');

const WIDTH = 110;
function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  let line = '#';
  for (const word of text.split(' ')) {
    if (line.length + word.length >= WIDTH) {
      lines.push(line);
      line = '#';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
