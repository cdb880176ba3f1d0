import { structural } from '../api/crd.ts';
import { InstallOptions } from './options.ts';
import { settled } from './settled.ts';

/** A schema in the words that CRDs and JSON Schema share. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly [keyword: string]: unknown;
}

/** One value of the file of `sluice install --values`. */
export interface Value {
  /** `controller.replicas`. */
  readonly path: string;
  readonly schema: Schema;
  /** Absent if nothing takes the place of a value that is not given. */
  readonly usual?: unknown;
}

/** The groups of values, which are listed one by one. */
export const PARTS = ['controller', 'csi', 'webhook', 'ui', 'monitoring'] as const;
export const isPart = (name: string): name is (typeof PARTS)[number] => (PARTS as readonly string[]).includes(name);

/** The schema of all values. The cast: what is structural has no other keywords. */
export const schemaOfValues = (): Schema => structural(InstallOptions, 'values') as Schema;

/** Every value, in the order of the schema. */
export function valuesOf(): readonly Value[] {
  const defaults = settled({}, '') as unknown as Record<string, unknown>;
  return Object.entries(schemaOfValues().properties ?? {}).flatMap(([name, schema]) =>
    isPart(name)
      ? Object.entries(schema.properties ?? {}).map(([field, of]) =>
          valueOf(`${name}.${field}`, of, (defaults[name] as Readonly<Record<string, unknown>>)[field]),
        )
      : [valueOf(name, schema, defaults[name])],
  );
}

// The image is that of the version that runs.
const valueOf = (path: string, schema: Schema, usual: unknown): Value => ({
  path,
  schema,
  ...(usual !== undefined && usual !== '' && { usual }),
});
