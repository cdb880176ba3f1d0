/** Limits of products: what is small as it is written, and large as it is rendered. */
import { describe, expect, test } from 'vitest';
import alluxio from '../../runtimes/alluxio/index.ts';
import cache from '../../runtimes/cache/index.ts';
import jindo from '../../runtimes/jindo/index.ts';
import juicefs from '../../runtimes/juicefs/index.ts';
import thin from '../../runtimes/thin/index.ts';
import type { DatasetSpec } from '../../src/api/index.ts';
import { basePlan, type BasePlan, defineRuntime, PlainObject, PARTS, type Runtime, type RuntimeInput } from '../../src/constructs/index.ts';
import { planInput } from '../../src/testing/given.ts';
import { given as alluxioGiven } from '../runtimes/alluxio/given.ts';
import { given as cacheGiven } from '../runtimes/cache/given.ts';
import { given as jindoGiven } from '../runtimes/jindo/given.ts';
import { community } from '../runtimes/juicefs/given.ts';
import { given as thinGiven } from '../runtimes/thin/given.ts';
import { ExampleRuntime } from '../support/example-runtime/spec.ts';

type Given = Parameters<typeof thinGiven>[0];
const CASES: readonly (readonly [Runtime, (given: Given) => RuntimeInput<never>])[] = [
  [thin, (given) => thinGiven(given) as RuntimeInput<never>],
  [cache, (given) => cacheGiven(given as object) as RuntimeInput<never>],
  [alluxio, (given) => alluxioGiven(given as object) as RuntimeInput<never>],
  [jindo, (given) => jindoGiven(given as object) as RuntimeInput<never>],
];
const list = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const options = (count: number, value = '') => Object.fromEntries(list(count, (i) => [`fs.o${i}`, value]));
const secrets = (count: number) => list(count, (i) => ({ name: `e${i}`, valueFrom: { secretKeyRef: { name: 's', key: `k${i}` } } }));
const mounts = (count: number, more: object = {}) => list(count, (i) => ({ mountPoint: `s3://b${i}`, name: `m${i}`, ...more }));

/** The error of what is tried before the runtime looks at the input: `needs` does not either. */
function refused(runtime: Runtime, input: RuntimeInput<never>): string {
  let read = 0;
  const objects = new Proxy(input.facts, { get: (facts, key) => (read++, Reflect.get(facts, key)) });
  try {
    runtime.bind({ ...input, facts: { ...input.facts, objects: objects as never } });
  } catch (error) {
    expect(read).toBe(0);
    return (error as Error).message;
  }
  return '';
}

describe.each(CASES)('$type', (runtime, given) => {
  const of = (count: number, dataset: Partial<DatasetSpec>, more: object = {}) => given({ mounts: mounts(count, more), dataset });
  test.each<[string, number, Partial<DatasetSpec>, object, string]>([
    [
      'options of all mounts',
      2048,
      { sharedOptions: options(2048) },
      {},
      'spec.sharedOptions: expected at most 32768 options, where each mount has those of all mounts too, found 2048 mounts × 2048 + 0',
    ],
    [
      'secret options of all mounts',
      2048,
      { sharedEncryptOptions: secrets(2048) },
      {},
      'spec.sharedEncryptOptions: expected at most 32768 options',
    ],
    ['options of each mount', 2048, {}, { options: options(17) }, 'spec.mounts: expected at most 32768 options'],
    [
      'long options of all mounts',
      512,
      { sharedOptions: options(10, 'v'.repeat(200)) },
      {},
      'spec.sharedOptions: expected at most 1048576 characters in options',
    ],
  ])('%s are counted together, before anything is made of them', (_, count, dataset, more, message) => {
    expect(refused(runtime, of(count, dataset, more))).toContain(`Dataset ml/demo: ${message}`);
  });
  test('as many options as are allowed are planned', () => {
    runtime.bind(of(1024, { sharedOptions: options(16) }, { options: { 'fs.x': 'y' } }));
  });
});

test('a JuiceFS Dataset has its one mount, and the others count too', () => {
  expect(() => juicefs.bind(community({ dataset: { sharedOptions: options(2048, 'v'.repeat(600)) } }))).toThrow(
    'spec.sharedOptions: expected',
  );
});

test('an object that the API server cannot store is refused by its name, as it is rendered', () => {
  const runtime = (characters: number) =>
    defineRuntime({
      type: 'example',
      resource: ExampleRuntime,
      plan: (input): BasePlan => ({ ...basePlan(input, { mountType: 'm', mountDir: 'd' }), replicas: { master: 1 } }),
      components: {
        master: class extends PlainObject {
          constructor(scope: ConstructorParameters<typeof PlainObject>[0]) {
            super(scope, 'config', {
              apiVersion: 'v1',
              kind: 'ConfigMap',
              metadata: { name: 'demo-config' },
              data: { a: 'x'.repeat(characters) },
            });
          }
        },
      },
    }).bind(planInput());
  expect(runtime((1 << 20) - 200).synth('master')).toHaveLength(1);
  expect(() => runtime(1 << 20).synth('master')).toThrow(
    'spec: expected objects of at most 1048576 characters, which the API server can store, found a larger ConfigMap demo-config',
  );
});

test('directories of all levels are counted together, before a volume is made of any', () => {
  const levels = (count: number, directories: number) =>
    list(count, (l) => ({ hostPath: { paths: list(directories, (i) => `/a${l}-${i}`), quotas: list(directories, () => '1') } }));
  const planned = (count: number, directories: number) =>
    cache.bind(cacheGiven({ spec: { worker: { tieredStore: { levels: levels(count, directories) } } } }));
  for (const part of PARTS) planned(4, 256).synth(part);
  expect(() => planned(46, 2000)).toThrow(
    'spec.worker.tieredStore.levels: expected at most 1024 directories in all levels together, found 92000',
  );
  const path = list(256, (i) => `/${i}`).join(',');
  expect(() =>
    alluxio.bind(alluxioGiven({ spec: { tieredstore: { levels: list(1000, () => ({ mediumtype: 'SSD', path, quota: '1Gi' })) } } })),
  ).toThrow('spec.tieredstore.levels: expected at most 1024 directories in all levels together, found 256000');
});

test('of tens of thousands of warnings, people read a hundred', () => {
  const { warnings = [] } = jindo.bind(jindoGiven({ mounts: mounts(2000, { options: options(16, 'v') }) })).plan;
  expect(warnings).toHaveLength(101);
  expect(warnings.at(-1)?.message).toMatch(/^spec: \d+ more parts have no effect/);
});
