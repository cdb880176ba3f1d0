/** Reasons why simulated pods wait, and the events about them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { type Playground, startPlayground } from '../../src/playground/playground.ts';

let playground: Playground;
beforeAll(async () => {
  playground = await startPlayground({ manifests: [], nodes: 2, port: 0, onFault: (error) => expect.fail(String(error)) });
});
afterAll(() => playground.stop());

const pod = (name: string, spec: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'app', image: 'busybox', ...('env' in spec && { env: spec.env }) }], ...spec },
});
const status = (name: string) => playground.server.get('Pod', 'default', name)?.['status'];
const said = (name: string) =>
  playground.server
    .all('Event')
    .filter((event) => (event['involvedObject'] as { name: string }).name === name)
    .map(({ reason }) => reason);

test('a pod waits for a Secret that a variable names, and says so', async () => {
  const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 'keys', key: 'x' } } }];
  playground.server.put(pod('lonely', { env }));
  const waiting = (message: string) => ({
    phase: 'Pending',
    containerStatuses: [{ state: { waiting: { reason: 'CreateContainerConfigError', message } } }],
  });
  await expect.poll(() => status('lonely')).toMatchObject(waiting('secret "keys" not found'));
  const keys = (data: object): KubeObject => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys', namespace: 'default' }, data });
  playground.server.put(keys({}));
  await expect.poll(() => status('lonely')).toMatchObject(waiting("couldn't find key x in Secret default/keys"));
  playground.server.put(keys({ x: 'eA==' }));
  await expect.poll(() => status('lonely')).toMatchObject({ phase: 'Running' });
  expect(said('lonely')).toEqual(['Scheduled', 'Failed', 'Failed', 'Started']);
});

test('a pod has the address of its node', async () => {
  for (const name of ['one', 'two']) playground.server.put(pod(name, {}));
  const hosts = () => ['one', 'two'].map((name) => (status(name) as { hostIP?: string } | undefined)?.hostIP);
  await expect.poll(() => hosts().toSorted()).toEqual(['10.1.0.1', '10.1.0.2']);
});

test('a pod that no node takes says so', async () => {
  playground.server.put(pod('nowhere', { nodeSelector: { no: 'such' } }));
  await expect.poll(() => said('nowhere')).toEqual(['FailedScheduling']);
  expect(status('nowhere')).toMatchObject({ phase: 'Pending' });
});

test('a pod waits for its claim, where no kind of Sluice is known too', async () => {
  playground.server.put(pod('waits', { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'absent' } }] }));
  await expect.poll(() => said('waits'), { timeout: 20_000 }).toEqual(['Scheduled', 'FailedMount']);
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const name = { name: 'absent', namespace: 'default' };
  playground.server.put({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v' },
    spec: { ...spec, capacity: { storage: '1Gi' }, claimRef: name },
  });
  playground.server.put({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: name, spec });
  await expect.poll(() => status('waits')).toMatchObject({ phase: 'Running' });
});

test('pods of a node that is deleted are deleted', async () => {
  const labels = (name: string) => ({ name, labels: { only: name } });
  playground.server.put({ apiVersion: 'v1', kind: 'Node', metadata: labels('spare') });
  playground.server.put(pod('stranded', { nodeSelector: { only: 'spare' } }));
  await expect.poll(() => status('stranded')).toMatchObject({ phase: 'Running' });
  playground.server.delete('Node', undefined, 'spare');
  await expect.poll(() => playground.server.get('Pod', 'default', 'stranded')).toBeUndefined();
});

test('sidecars are counted beside the containers, as kubectl does', async () => {
  const sidecar = { name: 'side', image: 'i', restartPolicy: 'Always' };
  playground.server.put(pod('sided', { initContainers: [{ name: 'init', image: 'i' }, sidecar] }));
  await expect.poll(() => status('sided')).toMatchObject({ phase: 'Running' });
  expect(status('sided')).toMatchObject({
    initContainerStatuses: [
      { name: 'init', state: { terminated: { exitCode: 0 } } },
      { name: 'side', started: true, state: { running: {} } },
    ],
  });
});
