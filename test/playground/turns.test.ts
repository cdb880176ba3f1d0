/** Controllers look at what a change concerns, and at nothing else: this may miss nothing that a look at everything would find. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createControllers, type Task } from '../../src/api-server/controllers/index.ts';
import { type ApiServer, createApiServer, Refusal } from '../../src/api-server/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { createKubelets } from '../../src/playground/kubelets.ts';
import { startTurns } from '../../src/playground/turns.ts';
import { claim, daemonSet, ownedBy, pod, statefulSet, volume } from '../api-server/suite/objects.ts';
import { manualClock } from '../support/manual-clock.ts';

const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const workload = (kind: string, apiVersion: string, name: string, spec: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'ml' },
  spec: { selector: { matchLabels: labels }, template, ...spec },
});
const quota: KubeObject = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'team', namespace: 'ml' },
  spec: { hard: { pods: '1' } },
};
const node = (name: string, label: string | undefined, taints: readonly object[] = [], unschedulable = false): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: label === undefined ? {} : { [label]: 'yes' } },
  spec: { taints, ...(unschedulable && { unschedulable }) },
});
const affinity = (key: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }] },
  },
});
const mounts = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'demo' } }] };

/** Objects as they are written, past all rules; deleting one that does not exist does nothing. */
const OBJECTS: readonly KubeObject[] = [
  node('a', undefined),
  node('a', 'fast'),
  node('a', 'slow'),
  node('a', undefined, [], true),
  node('b', 'fast', [{ key: 'x', effect: 'NoExecute' }]),
  statefulSet('ml', 'set', { replicas: 2 }),
  statefulSet('ml', 'set', { replicas: 0 }),
  daemonSet('ml', 'fast', { nodeSelector: { fast: 'yes' } }),
  daemonSet('ml', 'slow', { affinity: affinity('slow') }),
  workload('Deployment', 'apps/v1', 'web', { replicas: 2 }),
  workload('Deployment', 'apps/v1', 'web', { replicas: 1, template: { ...template, spec: { containers: [{ name: 'c', image: 'two' }] } } }),
  workload('Job', 'batch/v1', 'job', {}),
  workload('Job', 'batch/v1', 'job', { suspend: true }),
  claim('ml', 'demo', 'v'),
  claim('ml', 'other', ''),
  volume('v', 'ml', 'demo'),
  volume('w', 'ml', 'other'),
  pod('ml', 'user', mounts),
  pod('ml', 'set-0'),
  pod('ml', 'fast-a'),
  quota,
  pod('ml', 'needs', { containers: [{ name: 'c', image: 'i', envFrom: [{ secretRef: { name: 's' } }] }] }),
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'ml' } },
];
/** More than any of these worlds needs. */
const MOST_LOOKS = 20_000;
type Step = readonly [what: 'put' | 'delete' | 'foreground' | 'orphan' | 'own' | 'end', of: number, other: number];

function act(server: ApiServer, [what, i, j]: Step): void {
  const { kind, metadata } = OBJECTS[i]!;
  const { namespace, name } = metadata;
  const live = server.get(kind, namespace, name);
  if (what === 'put') return void server.put(OBJECTS[i]!);
  if (what === 'end') return server.delete('Namespace', undefined, 'ml');
  if (!live) return;
  const at = { type: server.typeOf(kind), namespace, name };
  if (what === 'own') {
    const { kind: other, metadata: its } = OBJECTS[j]!;
    const owner = server.get(other, its.namespace, its.name);
    if (owner) server.objects.patch(at, 'merge', { metadata: ownedBy(owner, { blockOwnerDeletion: true }) }, { manager: 'test' });
  } else server.objects.delete(at, { propagation: ({ delete: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const)[what] });
}
/** A refusal is an answer. */
function tried(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

/** @param kubelets those of the playground take their time */
function playing(kubelets: 'its own' | 'at once' = 'at once') {
  const clock = manualClock();
  const server = createApiServer({ namespaces: ['ml'], now: clock.wall });
  const { pods, ...controllers } = createControllers(server).tasks;
  const [own, labels] = createKubelets(server, clock);
  const tasks: Readonly<Record<string, Task>> = { ...controllers, ...(kubelets === 'its own' ? { own: own!, labels: labels! } : { pods }) };
  const looks: string[] = [];
  const watched = Object.entries(tasks).map(
    ([name, task]): Task => ({
      ...task,
      work(object) {
        if (looks.push(`${name} ${object.metadata.name}`) > MOST_LOOKS)
          throw new Error(`two undo each other: ${looks.slice(-8).join(', ')}`);
        return task.work(object);
      },
    }),
  );
  const faults: unknown[] = [];
  const turns = startTurns(server, watched, clock, (error) => faults.push(error));
  return { server, clock, tasks: Object.entries(tasks), looks, faults, turns };
}

test.each(['at once', 'its own'] as const)('nothing is left to do that a look at all objects would find, with kubelets: %s', (kubelets) => {
  const step = fc.tuple(
    fc.constantFrom<Step[0]>('put', 'put', 'put', 'delete', 'foreground', 'orphan', 'own', 'end'),
    fc.nat(OBJECTS.length - 1),
    fc.nat(OBJECTS.length - 1),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 60 }), (steps) => {
      const { server, clock, tasks, faults, turns } = playing(kubelets);
      for (const [each, waits] of steps) {
        tried(() => act(server, each));
        if (waits) clock.advance(20);
      }
      clock.advance(60_000);
      turns.stop();
      expect(faults).toEqual([]);
      for (const [name, { kinds, work }] of tasks)
        for (const object of server.all().filter(({ kind }) => kinds === 'all' || kinds.includes(kind)))
          expect([name, object.metadata.name, work(object)]).not.toEqual([name, object.metadata.name, true]);
    }),
  );
});

test('a change of one workload among many is looked at alone', () => {
  const { server, clock, looks, turns } = playing();
  server.put(node('a', undefined));
  for (let i = 0; i < 200; i++) server.put(daemonSet('ml', `set-${i}`, { nodeSelector: { [`is-${i}`]: 'yes' } }));
  clock.advance(1_000);
  looks.length = 0;
  server.put(daemonSet('ml', 'set-7', { nodeSelector: { 'is-8': 'yes' } }));
  clock.advance(1_000);
  expect(new Set(looks)).toEqual(new Set(['garbage set-7', 'daemonsets set-7']));
  looks.length = 0;
  server.put(node('a', 'is-9'));
  clock.advance(1_000);
  expect(new Set(looks)).toEqual(new Set(['garbage a', 'garbage set-9', 'garbage set-9-a', 'daemonsets set-9', 'pods set-9-a']));
  turns.stop();
});

test('a claim goes with the last pod that uses it, and a namespace with the last object in it', () => {
  const { server, clock, turns } = playing();
  const held: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'held', namespace: 'ml', finalizers: ['example.io/one'] },
  };
  for (const object of [node('a', undefined), claim('ml', 'demo', 'v'), pod('ml', 'user', mounts), held]) server.put(object);
  clock.advance(1_000);
  server.delete('PersistentVolumeClaim', 'ml', 'demo');
  clock.advance(1_000);
  expect(server.get('PersistentVolumeClaim', 'ml', 'demo')).toMatchObject({
    metadata: { deletionTimestamp: expect.any(String) as string },
  });
  server.delete('Pod', 'ml', 'user');
  clock.advance(1_000);
  expect(server.get('PersistentVolumeClaim', 'ml', 'demo')).toBeUndefined();
  server.delete('Namespace', undefined, 'ml');
  clock.advance(1_000);
  expect(server.all().filter(({ metadata }) => metadata.namespace === 'ml')).toHaveLength(1);
  const at = { type: server.typeOf('ConfigMap'), namespace: 'ml', name: 'held' };
  server.objects.patch(at, 'merge', { metadata: { finalizers: null } }, { manager: 'test' });
  clock.advance(1_000);
  expect(server.get('Namespace', undefined, 'ml')).toBeUndefined();
  turns.stop();
});
