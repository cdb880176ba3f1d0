/** Whether each field of a spec has an effect, or a warning that it has none. */
import { expect, test } from 'vitest';
import type { TSchema } from '../../src/api/index.ts';

/** The objects of specs, as text, and the warnings about them. */
export interface Made {
  readonly effects: string;
  readonly warnings: readonly string[];
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** The paths of all fields, with the first entry of each list. Forms of Kubernetes and maps have a sample, and are not looked into. */
export function fieldsOf(schema: TSchema, at: string, samples: Readonly<Record<string, unknown>>): readonly string[] {
  const [last = ''] = /[^.]*$/.exec(at) ?? [];
  if (at !== '' && (at in samples || last in samples)) return [at];
  // The cast: a schema of JSON.
  const { properties, items } = schema as Schema;
  if (items) return fieldsOf(items as TSchema, `${at}[0]`, samples);
  if (!properties) return [at];
  return Object.entries(properties).flatMap(([name, each]) => fieldsOf(each as TSchema, at === '' ? name : `${at}.${name}`, samples));
}

interface Fields<Specs> {
  /** Paths of all fields: `worker.replicas`, `dataset.mounts[0].path`. */
  readonly paths: readonly string[];
  /** There are more fields than this. */
  readonly moreThan: number;
  /** Fields without effect, of which a warning says so, and their reasons. */
  readonly warned: Readonly<Record<string, string>>;
  /** Fields whose effects are elsewhere. */
  readonly elsewhere: Readonly<Record<string, string>>;
  readonly base: Specs;
  /** The base with a sample in a field. @throws Error without a sample */
  readonly withSample: (path: string) => Specs;
  readonly madeOf: (specs: Specs) => Made;
  /** How warnings name a field. */
  readonly named?: (path: string) => string;
}

const plainName = (path: string): string =>
  path.startsWith('dataset.') ? `Dataset: spec.${path.slice('dataset.'.length)}` : `spec.${path}`;

export function testFields<Specs>({
  paths,
  moreThan,
  warned,
  elsewhere,
  base,
  withSample,
  madeOf,
  named = plainName,
}: Fields<Specs>): void {
  test('every field has a sample', () => {
    expect(paths.length).toBeGreaterThan(moreThan);
    for (const path of paths) expect(() => withSample(path)).not.toThrow();
    for (const path of [...Object.keys(warned), ...Object.keys(elsewhere)]) expect(paths).toContain(path);
  });
  test.each(paths.filter((path) => !(path in warned) && !(path in elsewhere)))('%s changes what is made', (path) =>
    expect(madeOf(withSample(path)).effects).not.toBe(madeOf(base).effects),
  );
  test.each(Object.keys(warned))('%s changes nothing, and a warning says so', (path) => {
    const [after, before] = [madeOf(withSample(path)), madeOf(base)];
    expect(after.effects).toBe(before.effects);
    expect(after.warnings.filter((message) => !before.warnings.includes(message))).toEqual([expect.stringContaining(named(path))]);
  });
  test.each(Object.keys(elsewhere))('%s changes nothing here', (path) => expect(madeOf(withSample(path))).toEqual(madeOf(base)));
}

/** The specs with a sample in the field at a path; fields other than those of `roots` are of the spec. */
export function sampled<Specs>(base: Specs, path: string, samples: Readonly<Record<string, unknown>>, roots: readonly string[]): Specs {
  const steps = path.replaceAll(/\[(\d)\]/g, '.$1').split('.');
  const sample = samples[path] ?? samples[steps.at(-1) ?? ''];
  if (sample === undefined) throw new Error(`expected a sample of ${path}`);
  // The cast: it has the fields of the base.
  return changed(base, roots.includes(steps[0] ?? '') ? steps : ['spec', ...steps], sample) as Specs;
}

function changed(value: unknown, [step = '', ...rest]: readonly string[], to: unknown): unknown {
  if (step === '') return to;
  if (Array.isArray(value)) {
    const list = [...(value as unknown[])];
    list[Number(step)] = changed(list[Number(step)], rest, to);
    return list;
  }
  const before = (value ?? {}) as Readonly<Record<string, unknown>>;
  return { ...before, [step]: changed(before[step], rest, to) };
}
