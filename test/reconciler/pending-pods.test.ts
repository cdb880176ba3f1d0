/** Pods that do not start: the runtime says which, and why. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { unstartedOf } from '../../src/planning/unstarted.ts';
import { jfsDataset, jfsRuntime, jfsSecret } from '../support/objects.ts';
import { boundHarness, type Harness, harness } from './harness.ts';

const CREATED = '2026-01-02T03:00:00Z';
const waiting = (reason: string, message?: string) => ({ name: 'c', state: { waiting: { reason, message } } });

const becomes = (at: Harness, name: string, status: object): void => {
  const pod = at.get('Pod', name) as KubeObject;
  at.put({ ...pod, status } as KubeObject);
};
const unready = () => [{ type: 'ContainersReady', status: 'False', lastTransitionTime: now() }];
const now = (): string => new Date().toISOString().replace(/\.\d+/, '');
const pulls = (reason: string, message: string) => ({
  phase: 'Pending',
  conditions: unready(),
  containerStatuses: [waiting(reason, message)],
});
const ERROR = 'failed to resolve reference "example.io/none:1": not found';

test('a worker whose image cannot be pulled for a minute is a condition, until the pod is ready, and no write between two pulls', async () => {
  const at = await boundHarness([jfsSecret(), jfsDataset('demo'), jfsRuntime('demo', { replicas: 2 })]);
  at.controllers.paused.add('pods').add('statefulsets');
  const since = pulls('ErrImagePull', ERROR);
  becomes(at, 'demo-worker-1', since);
  await at.advance(50_000);
  expect(at.conditions('JuiceFSRuntime')).not.toHaveProperty('PodsPending');
  await at.advance(20_000);
  const said = `True ImagePullBackOff: These pods have not started for a minute: demo-worker-1. The pod demo-worker-1: ImagePullBackOff: ${ERROR}`;
  expect(at.conditions('JuiceFSRuntime')['PodsPending']).toBe(said);
  at.forget();
  const { conditions } = since;
  const message = `Back-off pulling image "example.io/none:1": ErrImagePull: ${ERROR}`;
  becomes(at, 'demo-worker-1', { ...pulls('ImagePullBackOff', message), conditions });
  await at.advance(60_000);
  expect(at.written()).toEqual([]);
  becomes(at, 'demo-worker-1', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: [] });
  await at.advance(5000);
  expect(at.conditions('JuiceFSRuntime')).not.toHaveProperty('PodsPending');
});

test('workers that no node admits are in what the Dataset waits for', async () => {
  const at = await harness();
  at.controllers.paused.add('pods');
  at.put(jfsSecret());
  at.put(jfsDataset('demo'));
  at.put(jfsRuntime('demo'));
  await at.quiet();
  const message = '0/3 nodes are available: 3 Insufficient cpu.';
  becomes(at, 'demo-worker-0', {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime: now() }],
  });
  await at.advance(120_000);
  const said = `0 of 1 worker pods are ready; pod demo-worker-0: Unschedulable: ${message}`;
  expect(at.conditions('JuiceFSRuntime')['Synced']).toBe(`False WorkersNotReady: ${said}`);
  expect(at.conditions('Dataset')['NotReady']).toContain(said);
});

test.each<[string, object, object | undefined]>([
  ['is scheduled and starts', { phase: 'Pending', containerStatuses: [waiting('ContainerCreating')] }, undefined],
  ['is ready', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }, undefined],
  ['has ended', { phase: 'Failed', containerStatuses: [waiting('ImagePullBackOff')] }, undefined],
  ['ends again and again', { phase: 'Running', containerStatuses: [waiting('CrashLoopBackOff')] }, undefined],
  [
    'lacks a Secret of an init container',
    {
      phase: 'Pending',
      initContainerStatuses: [waiting('CreateContainerConfigError', 'secret "k" not found')],
      containerStatuses: [waiting('PodInitializing')],
    },
    { reason: 'CreateContainerConfigError', message: 'secret "k" not found', since: CREATED },
  ],
  [
    'cannot be scheduled, without further words',
    { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False' }] },
    { reason: 'Unschedulable', message: '', since: CREATED },
  ],
])('a pod that %s', (_, status, expected) => {
  expect(unstartedOf(status, CREATED)).toEqual(expected);
});

test('what a kubelet says is cut, and shows no secret', () => {
  const message = `secret-key=hunter2hunter2 ${'x'.repeat(9000)}`;
  const found = unstartedOf({ phase: 'Pending', containerStatuses: [waiting('RunContainerError', message)] } as never, CREATED);
  expect(found?.message.length).toBeLessThanOrEqual(500);
  expect(found?.message).not.toContain('hunter');
});
