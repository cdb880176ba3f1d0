/** Workloads whose pods a quota or Pod Security refuses. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { jfsDataset, jfsRuntime, jfsSecret, openDataset, thinRuntime } from '../support/objects.ts';
import { refusedPods } from '../../src/reconciler/kubernetes/observe/refused-pods.ts';
import { boundHarness, type Harness, harness } from './harness.ts';

// Each took from two seconds to minutes: users may write events, and core/v1 limits no message.
test.each(['\u001b]', '\u009b1;', '//x:', 'a.a.a-'])('an event of a megabyte of %j is cut before it is read', async (text) => {
  const items = [{ metadata: { name: 'refused' }, message: `=${text.repeat(500_000)}` }];
  const words = await refusedPods({ list: async () => ({ items, metadata: {} }) } as never, { namespace: 'ml', uid: 'x' });
  expect((words ?? '').length).toBeLessThanOrEqual(1000);
});

test('of events that repeat as a series, the one seen last has the latest words', async () => {
  const items = [
    { metadata: { name: 'once' }, message: 'a quota, earlier', eventTime: '2026-01-01T01:00:00.000000Z' },
    {
      metadata: { name: 'series' },
      message: 'Pod Security, now',
      eventTime: '2026-01-01T00:00:00.000000Z',
      series: { count: 9, lastObservedTime: '2026-01-01T02:00:00.000000Z' },
    },
  ];
  const list = async () => ({ items, metadata: {} });
  expect(await refusedPods({ list } as never, { namespace: 'ml', uid: 'x' })).toBe('Pod Security, now');
});

test('a runtime says why Kubernetes creates no pod of its workers, until there is one', async () => {
  const at = await harness();
  at.controllers.paused.add('statefulsets');
  at.put(jfsSecret());
  at.put(jfsDataset('demo'));
  at.put(jfsRuntime('demo'));
  await at.quiet();
  const asked = () => at.server.requests.filter(({ verb, kind }) => verb === 'list' && kind === 'Event').length;
  const { uid } = at.get('StatefulSet', 'demo-worker')?.metadata ?? {};
  const message =
    'create Pod demo-worker-0 in StatefulSet demo-worker failed error: pods "demo-worker-0" is forbidden: exceeded quota: small';
  at.put({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'refused' },
    involvedObject: { uid },
    reason: 'FailedCreate',
    message,
  } as KubeObject);
  await at.advance(130_000);
  expect(at.conditions('JuiceFSRuntime')['Synced']).toContain(`0 of 1 worker pods are ready; Kubernetes refuses others: ${message}`);
  at.forget();
  await at.advance(600_000);
  expect(asked()).toBeLessThanOrEqual(10);
  expect(at.written()).toEqual([]);
  at.kill();
  await at.restart();
  await at.advance(130_000);
  expect(at.written()).toEqual([]);
  at.controllers.paused.delete('statefulsets');
  at.put({ ...(at.get('StatefulSet', 'demo-worker') as KubeObject) });
  await at.quiet();
  expect(at.dataset().phase).toBe('Bound');
  at.forget();
  await at.advance(600_000);
  expect(asked()).toBe(0);
});

const refusal = (at: Harness, object: KubeObject | undefined, message: string): void => {
  const { kind, metadata: { uid = '', name = '' } = {} } = object ?? {};
  at.put({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `refused-${name}` },
    involvedObject: { kind, uid },
    reason: 'FailedCreate',
    message,
  } as KubeObject);
};
const counts = (at: Harness, kind: string, name: string, status: object): void =>
  void at.put({
    ...(at.get(kind, name) as KubeObject),
    status: { ...(at.get(kind, name)?.['status'] as object), ...status },
  } as KubeObject);
const fuseLacks = (at: Harness, desiredNumberScheduled: number): void =>
  counts(at, 'DaemonSet', 'demo-fuse', { desiredNumberScheduled, currentNumberScheduled: 0, numberReady: 0, numberAvailable: 0 });
const QUOTA = 'Error creating: pods "demo-fuse-x" is forbidden: exceeded quota: small';

async function thin(): Promise<Harness> {
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
  at.controllers.paused.add('daemonsets');
  await at.advance(600_000);
  at.forget();
  return at;
}

test('a minute after fuse pods are wanted on a node, the runtime says why there are none, until there are', async () => {
  const at = await thin();
  refusal(at, at.get('DaemonSet', 'demo-fuse'), QUOTA);
  fuseLacks(at, 2);
  await at.advance(50_000);
  expect(at.server.requestsThat({ verb: 'list', kind: 'Event' })).toEqual([]);
  await at.advance(20_000);
  const said = 'True FailedCreate: Kubernetes refuses pods. DaemonSet/demo-fuse has 0 of 2: ';
  expect(at.conditions('ThinRuntime')['PodsRefused']).toBe(`${said}${QUOTA}`);
  expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^True/);
  at.forget();
  await at.advance(600_000);
  expect(at.written()).toEqual([]);
  expect(at.server.requestsThat({ verb: 'list', kind: 'Event' }).length).toBeLessThanOrEqual(10);
  at.kill();
  await at.restart();
  await at.advance(130_000);
  expect(at.written()).toEqual([]);
  at.controllers.paused.delete('daemonsets');
  await at.quiet();
  expect(at.conditions('ThinRuntime')).not.toHaveProperty('PodsRefused');
});

test('fuse pods that come within the minute, or that no event speaks of, are no news', async () => {
  const at = await thin();
  refusal(at, at.get('DaemonSet', 'demo-fuse'), QUOTA);
  for (let i = 0; i < 5; i++) {
    fuseLacks(at, 1);
    await at.advance(40_000);
    fuseLacks(at, 0);
    await at.advance(1000);
  }
  expect(at.server.requestsThat({ verb: 'list', kind: 'Event' })).toEqual([]);
  at.server.remove('Event', 'ml', 'refused-demo-fuse');
  fuseLacks(at, 1);
  await at.advance(200_000);
  expect(at.conditions('ThinRuntime')).not.toHaveProperty('PodsRefused');
});

test('workers that are refused while others serve are a condition too', async () => {
  const at = await boundHarness([jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')]);
  at.controllers.paused.add('statefulsets');
  at.edit('JuiceFSRuntime', { ...(at.get('JuiceFSRuntime', 'demo') as { spec?: object }).spec, replicas: 3 });
  await at.advance(1000);
  refusal(at, at.get('StatefulSet', 'demo-worker'), QUOTA);
  await at.advance(130_000);
  const said = 'True FailedCreate: Kubernetes refuses pods. StatefulSet/demo-worker has 1 of 3: ';
  expect(at.conditions('JuiceFSRuntime')['PodsRefused']).toBe(`${said}${QUOTA}`);
  at.controllers.paused.delete('statefulsets');
  at.put({ ...(at.get('StatefulSet', 'demo-worker') as KubeObject) });
  await at.quiet();
  expect(at.conditions('JuiceFSRuntime')).not.toHaveProperty('PodsRefused');
});

test('a scale-up of old workers is asked about a minute later: an event of an earlier scale-up is no news', async () => {
  const at = await boundHarness([jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')]);
  refusal(at, at.get('StatefulSet', 'demo-worker'), QUOTA);
  await at.advance(3_600_000);
  at.forget();
  at.controllers.paused.add('statefulsets');
  at.edit('JuiceFSRuntime', { ...(at.get('JuiceFSRuntime', 'demo') as { spec?: object }).spec, replicas: 3 });
  await at.advance(50_000);
  expect(at.server.requestsThat({ verb: 'list', kind: 'Event' })).toEqual([]);
  expect(at.conditions('JuiceFSRuntime')).not.toHaveProperty('PodsRefused');
  await at.advance(20_000);
  expect(at.conditions('JuiceFSRuntime')['PodsRefused']).toContain(QUOTA);
});

test('workers that are not asked about, as some are not ready, hide no refusal of fuse pods', async () => {
  const at = await boundHarness([jfsSecret(), jfsDataset('demo'), jfsRuntime('demo', { replicas: 2 })]);
  for (const controller of ['statefulsets', 'daemonsets'] as const) at.controllers.paused.add(controller);
  counts(at, 'StatefulSet', 'demo-worker', { replicas: 1, readyReplicas: 0, availableReplicas: 0 });
  refusal(at, at.get('DaemonSet', 'demo-fuse'), QUOTA);
  fuseLacks(at, 2);
  await at.advance(130_000);
  expect(at.conditions('JuiceFSRuntime')['PodsRefused']).toContain(`DaemonSet/demo-fuse has 0 of 2: ${QUOTA}`);
});
