import { stringify } from 'yaml';
import { structural } from '../../api/crd.ts';
import { InstallOptions } from '../options.ts';
import { DEFAULTS } from '../settled.ts';
import { isPart, PARTS } from '../values.ts';

type Schema = Readonly<Record<string, unknown>>;
type Properties = { readonly properties: Readonly<Record<string, Schema>> };
type Values = Readonly<Record<string, unknown>>;

const { namespace: _, ...properties } = (structural(InstallOptions, 'values') as unknown as Properties).properties;
/** Without the namespace, which is the release's. */
const CHART_VALUES = { type: 'object', properties };

/** The JSON schema of the values, by which helm refuses what it does not know. */
export function valuesSchema(): object {
  const { properties, ...schema } = jsonSchema(CHART_VALUES) as Properties;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of Sluice',
    ...schema,
    properties: {
      ...properties,
      ...Object.fromEntries(PARTS.map((part) => [part, { ...properties[part], required: needed(DEFAULTS[part], isScalar) }])),
      // Helm gives these to each chart.
      global: { type: 'object' },
    },
    required: needed(DEFAULTS, () => true),
  };
}

const isScalar = (value: unknown): boolean => typeof value !== 'object';
/** Names of values that the templates need: helm removes a default whose value is null. */
const needed = (defaults: Values, isNeeded: (value: unknown) => boolean): readonly string[] =>
  Object.entries(defaults).flatMap(([key, value]) => (key !== 'namespace' && isNeeded(value) ? [key] : []));

/** A schema of Kubernetes as JSON schema: unknown fields are faults, and `x-kubernetes-` means nothing. */
function jsonSchema(schema: Schema): Schema {
  const own = Object.fromEntries(Object.entries(schema).filter(([key]) => !key.startsWith('x-kubernetes-') && key !== 'format'));
  const { properties, items, additionalProperties } = schema as { readonly [key: string]: Schema | undefined };
  return {
    ...own,
    ...(schema['x-kubernetes-int-or-string'] === true && { type: ['integer', 'string'] }),
    ...(items && { items: jsonSchema(items) }),
    ...(additionalProperties && { additionalProperties: jsonSchema(additionalProperties) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, jsonSchema(each as Schema)])),
      additionalProperties: false,
    }),
  };
}

/** The file of all values and what they are for; those without a default are comments. */
export function valuesFile(defaults: Values): string {
  return `${linesOf(CHART_VALUES.properties, { ...DEFAULTS, ...defaults }).join('\n')}\n`;
}

function linesOf(properties: Readonly<Record<string, Schema>>, defaults: Values): readonly string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const value = defaults[name];
    const own = schema['properties'] as Readonly<Record<string, Schema>> | undefined;
    // A part has values of its own; the shapes of Kubernetes are values.
    if (own && isPart(name)) return ['', `${name}:`, ...linesOf(own, value as Values).map((line) => (line ? `  ${line}` : line))];
    const about = schema['description'] === undefined ? [] : wrapped(String(schema['description']));
    const choices = schema['enum'] ? [`# One of ${(schema['enum'] as readonly string[]).join(', ')}.`] : [];
    return [...about, ...choices, ...entryOf(name, value ?? EMPTY[String(schema['type'])])];
  });
}

const EMPTY: Values = { array: [], object: {} };

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
