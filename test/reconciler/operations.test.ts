/** The parts that operations need of others: keys with a kind in the queue, and an applier for any owner. */
import { systemClock } from '../../src/kube/clock.ts';
import { App, Chart } from 'cdk8s';
import { expect, test } from 'vitest';
import { basePlan, type Operation, ownedByOperation } from '../../src/constructs/index.ts';
import { GROUP, label, type Manifest, VERSION } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { createApplier } from '../../src/reconciler/kubernetes/apply/apply.ts';
import { desiredObjectOf } from '../../src/planning/bindings.ts';
import { createQueue } from '../../src/kube/turns/queue.ts';
import { keyOfText, keyText } from '../../src/reconciler/world.ts';
import { planInput } from '../../src/testing/given.ts';
import { namesOf } from '../support/names.ts';
import { harness } from './harness.ts';

const dataset = { namespace: 'ml', name: 'demo' };
const operation = { ...dataset, kind: 'DataLoad' } as const;

test.each([[dataset], [operation]])('a key is read back from its text: %o', (key) => expect(keyOfText(keyText(key))).toEqual(key));

test('operations and datasets of a namespace take its turns together', async () => {
  const running: string[] = [];
  const done = Promise.withResolvers<void>();
  const queue = createQueue({
    concurrency: 2,
    mostOfOne: 1,
    work: async (key) => {
      running.push(key);
      await done.promise;
      return { kind: 'settled' };
    },
  });
  for (const key of [dataset, operation, { namespace: 'web', name: 'a', kind: 'DataLoad' } as const]) queue.add(keyText(key));
  await new Promise(setImmediate);
  expect(running).toEqual(['ml/demo', 'web/a/DataLoad']);
  done.resolve();
  await new Promise(setImmediate);
  expect(running).toEqual(['ml/demo', 'web/a/DataLoad', 'ml/demo/DataLoad']);
  await queue.stop();
});

async function loading(objects: readonly KubeObject[] = []) {
  const at = await harness();
  for (const object of objects) at.put(object);
  const { metadata } = at.put({ apiVersion: `${GROUP}/${VERSION}`, kind: 'DataLoad', metadata: { name: 'demo' }, spec: {} });
  await at.settle();
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const applier = createApplier(at.server.client({ fieldManager: 'sluice' }), at.store, log, systemClock);
  const owner = { ...operation, uid: metadata.uid ?? '' };
  const script = desiredObjectOf(rendered({ ...owner, spec: {}, facts: { pods: {} } }));
  const apply = async () => {
    const applied = await applier.apply(owner, [script], async () => {});
    await at.settle();
    return applied;
  };
  return { at, apply, prune: () => applier.prune(owner, [], async () => {}) };
}
const configMap = (name: string, labels = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data: {} });

test('an object of an operation is created once, repaired, and pruned without those of other owners (A4, A13)', async () => {
  const { at, apply, prune } = await loading([configMap('other', { [label.owner]: 'uid-of-another' })]);
  expect(await apply()).toMatchObject({ created: ['ConfigMap/demo-script'], failed: [] });
  at.forget();
  expect(await apply()).toMatchObject({ created: [], changed: [], failed: [] });
  expect(at.written()).toEqual([]);
  at.put({ ...at.get('ConfigMap', 'demo-script')!, data: { 'load.sh': 'echo mine' } });
  await at.settle();
  expect(await apply()).toMatchObject({ changed: ['ConfigMap/demo-script'] });
  expect(at.get('ConfigMap', 'demo-script')).toMatchObject({
    data: { 'load.sh': SCRIPT },
    metadata: { ownerReferences: [{ kind: 'DataLoad' }] },
  });
  expect(await prune()).toEqual({ pruned: ['ConfigMap/demo-script'], failed: [], kept: [] });
  expect(at.get('ConfigMap', 'other')).toBeDefined();
});

test('an operation does not change an object of another owner (A1)', async () => {
  const { apply } = await loading([configMap('demo-script')]);
  const message = 'it exists already and belongs to no known owner; expected none or one of DataLoad demo';
  expect((await apply()).failed).toEqual([{ reason: 'NameTaken', object: 'ConfigMap/demo-script', message }]);
});

const SCRIPT = 'load "$@"';
function rendered(load: Operation<'DataLoad'>): Manifest {
  const chart = new Chart(new App(), 'demo', { namespace: 'ml', disableResourceNameHashes: true });
  const plan = basePlan({ ...planInput(), runtime: namesOf('thin', 'ThinRuntime') }, { mountType: 'm', mountDir: 'd' });
  return ownedByOperation(chart, plan, load, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'demo-script',
    data: { 'load.sh': SCRIPT },
  }).toJson();
}
