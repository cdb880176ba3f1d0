/** Masters and workers whose pods a quota or Pod Security refuses. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { jfsDataset, jfsRuntime, jfsSecret } from '../support/objects.ts';
import { refusedPods } from '../../src/reconciler/kubernetes/observe/refused-pods.ts';
import { harness } from './harness.ts';

// Each took from two seconds to minutes: users may write events, and core/v1 limits no message.
test.each(['\u001b]', '\u009b1;', '//x:', 'a.a.a-'])('an event of a megabyte of %j is cut before it is read', async (text) => {
  const items = [{ metadata: { name: 'refused' }, message: `=${text.repeat(500_000)}` }];
  const words = await refusedPods({ list: async () => ({ items, metadata: {} }) } as never, { namespace: 'ml', uid: 'x' });
  expect((words ?? '').length).toBeLessThanOrEqual(1000);
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
  at.controllers.paused.delete('statefulsets');
  at.put({ ...(at.get('StatefulSet', 'demo-worker') as KubeObject) });
  await at.quiet();
  expect(at.dataset().phase).toBe('Bound');
  at.forget();
  await at.advance(600_000);
  expect(asked()).toBe(0);
});
