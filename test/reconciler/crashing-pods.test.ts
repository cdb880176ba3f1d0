/** Pods whose containers end again and again: the runtime says which, and what one of them printed last. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { jfsDataset, jfsRuntime, jfsSecret } from '../support/objects.ts';
import { boundHarness, type Harness } from './harness.ts';

/** As the kubelet reports it between two starts. */
const crashed = (at: Harness, name: string, message: string, restartCount = 2): void => {
  const pod = at.get('Pod', name) as KubeObject & { readonly status: object };
  const terminated = { exitCode: 1, reason: 'Error', message };
  const waiting = { reason: 'CrashLoopBackOff' };
  const containerStatuses = [{ name: 'client', ready: false, restartCount, state: { waiting }, lastState: { terminated } }];
  at.put({ ...pod, status: { ...pod.status, conditions: [{ type: 'Ready', status: 'False' }], containerStatuses } } as KubeObject);
};
const recovered = (at: Harness, name: string): void => {
  const pod = at.get('Pod', name) as KubeObject & { readonly status: object };
  const containerStatuses = [{ name: 'client', ready: true, restartCount: 3, state: { running: {} }, lastState: {} }];
  at.put({ ...pod, status: { ...pod.status, conditions: [{ type: 'Ready', status: 'True' }], containerStatuses } } as KubeObject);
};

test('a worker that crashes is a condition, with the end of what it printed, until it is ready', async () => {
  const at = await boundHarness([jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')]);
  at.controllers.paused.add('pods');
  crashed(at, 'demo-worker-0', `${'x'.repeat(2000)}\n\u001b[31mFATAL: unknown option\u001b[0m`);
  await at.quiet();
  const said = at.conditions('JuiceFSRuntime')['PodsCrashing'] ?? '';
  expect(said).toMatch(/^True ContainersEnd: Containers of these pods end and are started again: demo-worker-0\. /);
  expect(said).toMatch(/The pod demo-worker-0 ended with exit code 1, and printed last: x+\nFATAL: unknown option$/);
  expect(said.length).toBeLessThan(1200);
  at.forget();
  // The same end once more is no news.
  crashed(at, 'demo-worker-0', `${'x'.repeat(2000)}\n\u001b[31mFATAL: unknown option\u001b[0m`, 3);
  await at.quiet();
  expect(at.written()).toEqual([]);
  // Between two ends the container runs, and counts as ready.
  recovered(at, 'demo-worker-0');
  await at.advance(20_000);
  expect(at.conditions('JuiceFSRuntime')['PodsCrashing']).toContain('FATAL: unknown option');
  crashed(at, 'demo-worker-0', 'later', 4);
  await at.advance(20_000);
  recovered(at, 'demo-worker-0');
  await at.advance(20_000);
  expect(at.conditions('JuiceFSRuntime')['PodsCrashing']).toContain('printed last: later');
  await at.advance(20_000);
  expect(at.conditions('JuiceFSRuntime')).not.toHaveProperty('PodsCrashing');
});

test('no secret is shown whose name does not fit any more', async () => {
  const at = await boundHarness([jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')]);
  at.controllers.paused.add('pods');
  crashed(at, 'demo-worker-0', `mount --secret-key=hunter2hunter2 ${'x'.repeat(990)}`);
  await at.quiet();
  expect(at.conditions('JuiceFSRuntime')['PodsCrashing']).toMatch(/printed last: .*x$/);
  expect(JSON.stringify(at.get('JuiceFSRuntime', 'demo'))).not.toContain('hunter');
});

test('a fuse pod that crashes is one, too', async () => {
  const at = await boundHarness([jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')]);
  // These controllers would delete a pod on a node that does not exist, and have it run.
  at.controllers.paused.add('daemonsets').add('pods');
  const daemonSet = at.get('DaemonSet', 'demo-fuse') as KubeObject & {
    readonly spec: { readonly template: { readonly metadata: object } };
  };
  const controller = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'demo-fuse', uid: daemonSet.metadata.uid ?? '', controller: true };
  const { metadata } = daemonSet.spec.template;
  const pod = { ...metadata, name: 'demo-fuse-a', namespace: 'ml', ownerReferences: [controller] };
  at.put({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: pod,
    spec: { nodeName: 'n', containers: [{ name: 'client' }] },
    status: {},
  } as KubeObject);
  crashed(at, 'demo-fuse-a', 'bad option');
  await at.quiet();
  expect(at.conditions('JuiceFSRuntime')['PodsCrashing']).toContain('printed last: bad option');
  at.server.remove('Pod', 'ml', 'demo-fuse-a');
  await at.quiet();
  expect(at.conditions('JuiceFSRuntime')).not.toHaveProperty('PodsCrashing');
});
