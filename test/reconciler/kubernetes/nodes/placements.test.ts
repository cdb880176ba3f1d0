import { expect, test } from 'vitest';
import type { KubeObject } from '../../../../src/kube/types.ts';
import { createPlacements, type Placement } from '../../../../src/reconciler/kubernetes/nodes/placements.ts';

const ref = (uid: string) => ({ apiVersion: 'data.fluid.io/v1alpha1', kind: 'ThinRuntime', name: 'demo', namespace: 'ml', uid });
const placement = (uid: string, labelIds: readonly string[] = [`s-${uid}`], workers: string | undefined = `workers-${uid}`): Placement => ({
  runtime: ref(uid),
  labels: [[`s-${uid}`, 'true']],
  labelIds,
  workers,
});
/** Pods by workload, each on a node, or none yet. */
function scene() {
  const pods = new Map<string, readonly (string | undefined)[]>();
  const ended = new Set<string>();
  const podsOf = ({ uid: workload }: { readonly uid: string }): readonly KubeObject[] =>
    (pods.get(workload) ?? []).map((nodeName, i) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${workload}-${i}` },
      nodeName,
      phase: nodeName && ended.has(nodeName) ? 'Failed' : 'Running',
    }));
  const placements = createPlacements(podsOf);
  const on = (node: string) => [...placements.on(node)].map(({ runtime }) => runtime.uid);
  return { pods, ended, placements, on };
}

test('a runtime is on the nodes of its workers, and on no other', () => {
  const { pods, placements, on } = scene();
  pods.set('workers-a', ['n1', 'n2', undefined, 'n1']);
  expect(placements.put('a', placement('a'))).toEqual(['n1', 'n2']);
  expect([on('n1'), on('n2'), on('n3')]).toEqual([['a'], ['a'], []]);
});
test('only nodes that a worker came to or left are compared', () => {
  const { pods, placements } = scene();
  pods.set('workers-a', ['n1', 'n2']);
  placements.put('a', placement('a'));
  expect(placements.moved('workers-a', 'ml')).toEqual([]);
  pods.set('workers-a', ['n2', 'n3']);
  // A pod of another tenant that names them.
  expect(placements.moved('workers-a', 'other')).toEqual([]);
  expect(placements.moved('workers-a', 'ml').toSorted()).toEqual(['n1', 'n3']);
  expect(placements.moved('unknown', 'ml')).toEqual([]);
});
test('a worker that has failed is nowhere', () => {
  const { pods, ended, placements, on } = scene();
  pods.set('workers-a', ['n1']);
  placements.put('a', placement('a'));
  ended.add('n1');
  expect(placements.moved('workers-a', 'ml')).toEqual(['n1']);
  expect(on('n1')).toEqual([]);
});
test('a runtime that is gone leaves its nodes to the others', () => {
  const { pods, placements, on } = scene();
  for (const uid of ['a', 'b']) {
    pods.set(`workers-${uid}`, ['n1']);
    placements.put(uid, placement(uid));
  }
  expect(placements.drop('a')).toEqual(['n1']);
  expect(on('n1')).toEqual(['b']);
  expect(placements.drop('a')).toEqual([]);
});
test('a label ID that two runtimes have is known until both are gone', () => {
  const { placements } = scene();
  placements.put('a', placement('a', ['s-both']));
  placements.put('b', placement('b', ['s-both']));
  placements.drop('a');
  expect(placements.ofLabelId('s-both')?.runtime.uid).toBe('b');
  placements.drop('b');
  expect(placements.ofLabelId('s-both')).toBeUndefined();
});
test('workers that were created again are followed, the old ones no longer', () => {
  const { pods, placements, on } = scene();
  pods.set('workers-a', ['n1']);
  placements.put('a', placement('a'));
  pods.set('new', ['n2']);
  expect(placements.put('a', placement('a', ['s-a'], 'new')).toSorted()).toEqual(['n1', 'n2']);
  expect([on('n1'), on('n2')]).toEqual([[], ['a']]);
  expect(placements.moved('workers-a', 'ml')).toEqual([]);
});
