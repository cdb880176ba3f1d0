import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Manifest } from '../../../src/api/index.ts';
import { keeping, nodesLeft, type PlacementNode } from '../../../src/planning/diff/fuse-placement.ts';
import type { LiveObject } from '../../../src/reconciler/world.ts';

const FUSE = { 'fluid.io/f-ml-demo': 'true' };
const fuse = (podSpec: object): Manifest & LiveObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'demo-fuse', namespace: 'ml', uid: 'u', resourceVersion: '1' },
  spec: { template: { metadata: {}, spec: { containers: [], ...podSpec } } },
});
const placementOf = ({ spec }: Manifest) => {
  const { containers: _, ...placement } = (spec as { template: { spec: { containers: unknown } } }).template.spec;
  return placement;
};
const node = (name: string, labels: Record<string, string> = {}): PlacementNode => ({ name, labels: { ...FUSE, ...labels } });
const ssd = node('ssd', { disk: 'ssd' });
const hdd = node('hdd', { disk: 'hdd' });
const required = (...nodeSelectorTerms: readonly object[]) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
});

describe('an edit of where fuse pods may be', () => {
  const before = fuse({ nodeSelector: FUSE });

  test.each([
    ['a node selector', fuse({ nodeSelector: { ...FUSE, disk: 'ssd' } }), ['hdd']],
    [
      'an affinity',
      fuse({ nodeSelector: FUSE, affinity: required({ matchExpressions: [{ key: 'disk', operator: 'NotIn', values: ['hdd'] }] }) }),
      ['hdd'],
    ],
    [
      'an affinity to a node',
      fuse({ nodeSelector: FUSE, affinity: required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['hdd'] }] }) }),
      ['ssd'],
    ],
    ['a term that asks for nothing', fuse({ nodeSelector: FUSE, affinity: required({}) }), ['ssd', 'hdd']],
    ['nothing new', before, []],
    ['what both have', fuse({ nodeSelector: FUSE, affinity: required({ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }) }), []],
  ])('that brings %s leaves the nodes that it no longer selects', (_, after, left) => {
    expect(nodesLeft(after, before, [ssd, hdd])).toEqual(left);
  });

  test.each([
    ['fewer taints', [{ operator: 'Exists' }], [{ key: 'gpu', operator: 'Exists' }], ['ssd', 'hdd']],
    ['none', [{ key: 'gpu', operator: 'Exists' }], [], ['ssd', 'hdd']],
    [
      'the same for less long',
      [{ key: 'a', operator: 'Exists' }],
      [{ key: 'a', operator: 'Exists', tolerationSeconds: 5 }],
      ['ssd', 'hdd'],
    ],
    ['more taints', [{ key: 'gpu', operator: 'Exists' }], [{ operator: 'Exists' }], []],
    ['one value written in another way', [{ key: 'a', value: 'b' }], [{ key: 'a', operator: 'Equal', value: 'b' }], []],
  ])('that tolerates %s', (_, tolerated, tolerations, left) => {
    expect(nodesLeft(fuse({ nodeSelector: FUSE, tolerations }), fuse({ nodeSelector: FUSE, tolerations: tolerated }), [ssd, hdd])).toEqual(
      left,
    );
  });

  test('keeps a node in use, and serves new nodes as the new selector says', () => {
    const after = fuse({ nodeSelector: { ...FUSE, disk: 'ssd' } });
    expect(placementOf(keeping(after, before, [hdd]))).toEqual({
      nodeSelector: FUSE,
      affinity: required(
        { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] },
        { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['hdd'] }] },
      ),
      tolerations: [],
    });
  });

  test('keeps what is tolerated until no pod needs it any more', () => {
    const live = fuse({
      nodeSelector: FUSE,
      tolerations: [
        { key: 'gpu', operator: 'Exists' },
        { key: 'a', operator: 'Exists' },
      ],
    });
    const after = fuse({ nodeSelector: FUSE, tolerations: [{ key: 'a', operator: 'Exists' }] });
    expect(placementOf(keeping(after, live, [hdd]))).toEqual({
      nodeSelector: FUSE,
      tolerations: [
        { key: 'a', operator: 'Exists' },
        { key: 'gpu', operator: 'Exists' },
      ],
    });
    expect(keeping(after, live, [])).toBe(after);
  });

  test('selects exactly the nodes that it should, and those that are kept, whatever was there before', () => {
    const labels = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'));
    const requirement = fc.oneof(
      fc.record({
        key: fc.constantFrom('a', 'b', 'c'),
        operator: fc.constantFrom('In', 'NotIn'),
        values: fc.array(fc.constantFrom('1', '2'), { minLength: 1 }),
      }),
      fc.record({ key: fc.constantFrom('a', 'b', 'c'), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
    );
    const affinity = fc.option(
      fc.array(fc.record({ matchExpressions: fc.array(requirement, { maxLength: 2 }) }), { minLength: 1, maxLength: 2 }),
    );
    const placement = fc
      .record({ nodeSelector: labels, affinity })
      .map(({ nodeSelector, affinity: terms }) =>
        fuse({ nodeSelector: { ...FUSE, ...nodeSelector }, ...(terms && { affinity: required(...terms) }) }),
      );
    const nodes = fc.array(labels, { minLength: 1, maxLength: 5 }).map((each) => each.map((own, i) => node(`node-${i}`, own)));
    fc.assert(
      fc.property(placement, placement, nodes, fc.integer({ min: 0, max: 31 }), (live, after, all, mask) => {
        const left = nodesLeft(after, live, all);
        const kept = all.filter(({ name }, i) => left.includes(name) && (mask >> i) % 2 === 1);
        const held = keeping(after, live, kept);
        const gone = left.filter((name) => !kept.some((node) => node.name === name));
        expect(nodesLeft(held, live, all)).toEqual(gone);
        // Seen from where it is now, the same is asked for: nothing changes until a node becomes free.
        expect(keeping(after, held as LiveObject, kept)).toEqual(held);
      }),
    );
  });
});
