/** Fluid's controllers write fields that nobody said, with Go's zero values: none of them is worth a warning, whatever the runtime. */
import { describe, expect, test } from 'vitest';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { datasetSpec, InvalidSpec } from '../../src/api/index.ts';
import { ofSaidFields } from '../../src/constructs/go-zeros.ts';
import type { Runtime, RuntimeInput } from '../../src/constructs/index.ts';
import { BY_KIND } from './cases.ts';

/** Go omits these where they are false, so that only a person writes that: a warning says what comes of it. */
const SAID = /^spec\.(?:master|worker|jobMaster|jobWorker)\.enabled$|^spec\.disablePrometheus$/;

const IGNORED = 'SpecPartlyIgnored';

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}
const ZEROS: Readonly<Record<string, unknown>> = { object: {}, array: [], string: '', boolean: false, integer: 0, number: 0 };

/** Every field of a schema, as steps; in the first entry of each list that has one. An `emptyDir` is empty as a rule. */
const fieldsOf = (
  { properties, items }: Schema,
  value: unknown,
  at: readonly string[] = [],
): readonly (readonly [readonly string[], Schema])[] => {
  if (items) return Array.isArray(value) && value.length > 0 ? fieldsOf(items, value[0], [...at, '0']) : [];
  return Object.entries(properties ?? {})
    .filter(([name]) => name !== 'emptyDir')
    .flatMap(([name, each]) => {
      const path = [...at, name];
      const below = at.length < 5 ? fieldsOf(each, (value as Readonly<Record<string, unknown>> | undefined)?.[name], path) : [];
      return [[path, each] as const, ...below];
    });
};

function changed(value: unknown, [step, ...rest]: readonly string[], to: unknown): unknown {
  if (step === undefined) return to;
  if (step === '0') return [changed((value as readonly unknown[] | undefined)?.[0], rest, to), ...((value as []) ?? []).slice(1)];
  const before = (value ?? {}) as Readonly<Record<string, unknown>>;
  return { ...before, [step]: changed(before[step], rest, to) };
}

/** The texts of warnings of fields without effect; undefined if the spec is invalid. */
function warningsOf(runtime: Runtime, input: RuntimeInput<object>): readonly string[] | undefined {
  try {
    const { warnings } = runtime.bind(input).plan;
    return warnings.filter(({ reason }) => reason === IGNORED).map(({ message }) => message);
  } catch (error) {
    if (error instanceof InvalidSpec) return undefined;
    throw error;
  }
}
const textOf = (steps: readonly string[]): string => steps.map((step) => (step === '0' ? '[0]' : `.${step}`)).join('');

describe.each(BY_KIND)('%s', (_, runtime, input) => {
  const before = warningsOf(runtime, input) ?? [];
  const news = (given: RuntimeInput<object>) => warningsOf(runtime, given)?.filter((message) => !before.includes(message));

  test('no field of it is worth a warning with a zero', () => {
    const fields = fieldsOf(runtime.resource.spec as Schema, input.spec).filter(([steps]) => !SAID.test(`spec${textOf(steps)}`));
    const found = fields.map(([steps, { type = 'string' }]) => news({ ...input, spec: changed(input.spec, steps, ZEROS[type]) as object }));
    expect(found.flatMap((messages) => messages ?? [])).toEqual([]);
    // Most zeros are valid, or the test would prove nothing.
    expect(found.filter((messages) => messages !== undefined).length).toBeGreaterThan(Math.max(10, fields.length / 2));
  });
  test('no field of its Dataset is', () => {
    const fields = fieldsOf(datasetSpec as Schema, input.dataset.spec);
    const found = fields.map(([steps, { type = 'string' }]) => {
      const spec = changed(input.dataset.spec, steps, ZEROS[type]) as RuntimeInput<object>['dataset']['spec'];
      return news({ ...input, dataset: { ...input.dataset, spec } });
    });
    expect(found.flatMap((messages) => messages ?? [])).toEqual([]);
    expect(found.filter((messages) => messages !== undefined).length).toBeGreaterThan(fields.length / 2);
  });
});

test('every runtime is among these', () => {
  expect(BY_KIND.map(([kind]) => kind).toSorted()).toEqual(runtimes.map(({ resource }) => resource.kind).toSorted());
});

describe('a warning stays', () => {
  const warned = (path: string, spec: object, reason = IGNORED) =>
    ofSaidFields([{ reason, message: `${path}: has no effect` }], { spec, dataset: { mounts: [] } }).length;
  test.each([
    ['of a field that is absent', 'spec.replicas', {}],
    ['of a field with a value', 'spec.data.pin', { data: { pin: true } }],
    ['of an object with a value somewhere', 'spec.initUsers', { initUsers: { image: '', resources: { limits: { cpu: '1' } } } }],
    ['of an emptyDir, which is empty as a rule', 'spec.levels[0].volumeSource', { levels: [{ volumeSource: { emptyDir: {} } }] }],
    ['of an entry of a map, which somebody wrote', 'spec.labels[app]', { labels: { app: '' } }],
    ['of a class or a profile', 'ThinRuntimeProfile p: spec.fuse', { fuse: {} }],
    ['of what is no path', 'spec and more', {}],
  ])('%s', (_, path, spec) => expect(warned(path, spec)).toBe(1));
  test('of another reason', () => expect(warned('spec.worker.enabled', { worker: { enabled: false } }, 'SpecAmbiguous')).toBe(1));
});

test.each([
  ['spec.data.pin', { data: { pin: false } }],
  ['spec.initUsers', { initUsers: { resources: {}, image: '', env: [], n: 0, none: null } }],
  ['spec.levels[1].volumeSource', { levels: [{}, { volumeSource: {} }] }],
  ['Dataset: spec.mounts', {}],
])('a warning of %s goes while it has a zero', (path, spec) =>
  expect(ofSaidFields([{ reason: IGNORED, message: `${path}: x` }], { spec, dataset: { mounts: [] } })).toEqual([]),
);
