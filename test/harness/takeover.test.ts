/** The comparison with which `npm run takeover` fails, and the points at which it kills. */
import { expect, test } from 'vitest';
import { differences } from '../../harness/takeover/snapshot.ts';
import { killsOf } from '../../scripts/takeover/kills.ts';
import type { KubeObject } from '../../src/kube/types.ts';

const object = (kind: string, name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'ml', uid: `${kind}-${name}` },
  ...more,
});
const pod = (restartCount: number, phase = 'Running') => object('Pod', 'a', { status: { phase, containerStatuses: [{ restartCount }] } });
const volume = (attributes: object) => object('PersistentVolume', 'v', { spec: { csi: { volumeAttributes: attributes } } });
const node = (labels: Readonly<Record<string, string>>): KubeObject => ({
  ...object('Node', 'n'),
  metadata: { name: 'n', uid: 'n', labels },
});
const snap = (...objects: readonly KubeObject[]) =>
  new Map(objects.map((each) => [`${each.kind} ${each.metadata.namespace ?? ''}/${each.metadata.name}`, each]));

test.each<[string, readonly KubeObject[], readonly KubeObject[]]>([
  ['Pod ml/a restarted', [pod(0)], [pod(1)]],
  ['Pod ml/a is Failed, and was Running', [pod(0)], [pod(0, 'Failed')]],
  ['Pod ml/a is gone', [pod(0)], []],
  [
    'ConfigMap ml/c was created anew',
    [object('ConfigMap', 'c')],
    [{ ...object('ConfigMap', 'c'), metadata: { name: 'c', namespace: 'ml', uid: 'other' } }],
  ],
  ['PersistentVolume ml/v has another source', [volume({ a: '1' })], [volume({ a: '2' })]],
  ['Node /n lost the labels fluid.io/f-ml-a=true', [node({ 'fluid.io/f-ml-a': 'true' })], [node({})]],
  [
    'DaemonSet ml/d has another selector',
    [object('DaemonSet', 'd', { spec: { selector: { a: 'b' } } })],
    [object('DaemonSet', 'd', { spec: { selector: {} } })],
  ],
])('%s', (said, before, after) => {
  expect(differences(snap(...before), snap(...after))).toEqual([said]);
  expect(differences(snap(...before), snap(...before))).toEqual([]);
});

test('a StatefulSet takes the place of an AdvancedStatefulSet, and gives it back', () => {
  const [fluids, own] = [snap(object('AdvancedStatefulSet', 'w')), snap(object('StatefulSet', 'w'))];
  expect(differences(fluids, own)).toEqual([]);
  expect(differences(own, fluids)).toEqual([]);
});

test('kills alternate there and back, are the same for a seed, and are within what the command prints', () => {
  const kills = killsOf(1, 20, { go: 50, back: 10 });
  expect(kills).toEqual(killsOf(1, 20, { go: 50, back: 10 }));
  expect(kills).not.toEqual(killsOf(2, 20, { go: 50, back: 10 }));
  expect(kills.map(({ command }) => command).slice(0, 3)).toEqual(['go', 'back', 'go']);
  for (const { command, line } of kills) expect(line).toBeLessThanOrEqual(command === 'go' ? 47 : 7);
});
