import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/types.ts';
import { whyNotGivenBack, whyNotTried } from '../../../src/takeover/try/refusals.ts';

const object = (kind: string, namespace: string, name: string, more: object = {}): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind,
  metadata: { namespace, name },
  ...more,
});
const refers = (namespace: string, name: string, to: string) =>
  object('Dataset', namespace, name, { spec: { mounts: [{ mountPoint: `dataset://${to}/path` }] } });
const none = { datasets: [], operations: [], runtimes: [] };

describe('namespaces that cannot be tried:', () => {
  test.each<[string, Parameters<typeof whyNotTried>[0], string]>([
    [
      'a Dataset there refers to one that Fluid serves',
      { ...none, datasets: [refers('ml', 'a', 'web/b')] },
      'Dataset ml/a: refers to a Dataset on the other side',
    ],
    [
      'a Dataset of Fluid refers to one there',
      { ...none, datasets: [refers('web', 'b', 'ml/a')] },
      'Dataset web/b: refers to a Dataset on the other side',
    ],
    [
      'an operation there copies from a Dataset that Fluid serves',
      { ...none, operations: [object('DataMigrate', 'ml', 'm', { spec: { from: { dataset: { name: 'b', namespace: 'web' } } } })] },
      'DataMigrate ml/m: needs a Dataset or an operation on the other side',
    ],
    [
      'an operation of Fluid runs after one there',
      { ...none, operations: [object('DataLoad', 'web', 'l', { spec: { runAfter: { name: 'x', namespace: 'ml' } } })] },
      'DataLoad web/l: needs a Dataset or an operation on the other side',
    ],
    [
      'a CacheRuntime is there',
      { ...none, runtimes: [object('CacheRuntime', 'ml', 'c')] },
      'CacheRuntime ml/c: Sluice would replace the AdvancedStatefulSets',
    ],
    [
      'a GooseFSRuntime is there',
      { ...none, runtimes: [object('GooseFSRuntime', 'ml', 'g')] },
      'GooseFSRuntime ml/g: Sluice does not serve this kind',
    ],
  ])('%s', (_, objects, expected) => expect(whyNotTried(objects, ['ml'])).toEqual([expect.stringContaining(expected)]));
  test('none of it where both sides are tried, or neither', () => {
    const objects = {
      datasets: [refers('ml', 'a', 'web/b'), refers('ml', 'c', 'ml/a')],
      operations: [object('DataLoad', 'ml', 'l', { spec: { dataset: { name: 'b', namespace: 'web' } } })],
      runtimes: [object('CacheRuntime', 'ops', 'c'), object('ThinRuntime', 'ml', 'a')],
    };
    expect(whyNotTried(objects, ['ml', 'web'])).toEqual([]);
    expect(whyNotTried(objects, ['dev'])).toEqual([]);
  });
  test('of many objects a message names five, and how many more there are', () => {
    const datasets = Array.from({ length: 8 }, (_, i) => refers('ml', `d${i}`, 'web/b'));
    expect(whyNotTried({ ...none, datasets }, ['ml'])[0]).toMatch(/^Dataset ml\/d0, .*Dataset ml\/d4 and 3 more: refers/);
  });
});

describe('namespaces that cannot be given back:', () => {
  test('an operation runs there', () => {
    const running = (namespace: string) => object('DataLoad', namespace, 'l', { status: { phase: 'Executing' } });
    expect(whyNotGivenBack({ ...none, operations: [running('ml'), running('web')] }, ['ml'])).toEqual([
      expect.stringContaining('DataLoad ml/l: Fluid does not notice the end'),
    ]);
    expect(whyNotGivenBack({ ...none, operations: [object('DataLoad', 'ml', 'l', { status: { phase: 'Complete' } })] }, ['ml'])).toEqual(
      [],
    );
  });
  test('a CacheRuntime was set up there', () =>
    expect(whyNotGivenBack({ ...none, runtimes: [object('CacheRuntime', 'ml', 'c')] }, ['ml'])).toEqual([
      expect.stringContaining('CacheRuntime ml/c'),
    ]));
});
