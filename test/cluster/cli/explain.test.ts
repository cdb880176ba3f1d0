/** `sluice explain` against a real API server, on pods that Kubernetes refuses or that do not start. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import thin from '../../../runtimes/thin/index.ts';
import { findings } from '../../../src/explain/findings.ts';
import { gather } from '../../../src/explain/gather.ts';
import { endProcesses, startCommand } from '../../support/controller-process.ts';
import { openDataset, thinRuntime } from '../../support/objects.ts';
import { eventually, PROFILE, type Sluice, type Space, startSluice } from '../../support/sluice.ts';
import { sharedControlPlane } from '../../support/test-cluster.ts';

let sluice: Sluice;
beforeAll(async () => void (sluice = await startSluice(sharedControlPlane())));
afterAll(() => sluice?.stop());

/** As it would be two minutes later: what has lasted for a minute is no success. */
const explained = async ({ namespace }: Space, ...names: readonly string[]) => {
  const input = await gather(sluice.client, [thin], namespace, names);
  return findings({ ...input, now: input.now + 120_000 });
};

async function strict(): Promise<Space> {
  const space = await sluice.space('explain');
  await space.create(openDataset('demo'), thinRuntime('demo', { profileName: PROFILE }));
  await space.bound('ThinRuntime', 'demo');
  const key = `fluid.io/f-${space.namespace}-demo`;
  await sluice.plane.kubectl('label', 'namespace', space.namespace, 'pod-security.kubernetes.io/enforce=baseline');
  await sluice.plane.kubectl('label', 'node', 'node-0', `${key}=true`);
  onTestFinished(async () => void (await sluice.plane.kubectl('label', 'node', 'node-0', `${key}-`)));
  return space;
}

test('fuse pods that Pod Security refuses make a Dataset ✗ that is Bound, with the words of the API server', async () => {
  const space = await strict();
  await eventually(async () => {
    const found = await explained(space, 'dataset/demo');
    expect(found).toMatchObject([{ phase: 'Bound', healthy: false, causes: [{ reason: 'FailedCreate', since: expect.any(String) }] }]);
    expect(found[0]?.causes[0]?.message).toMatch(/^DaemonSet demo-fuse: 0 of 1 pods ready; .*violates PodSecurity "baseline/);
  });
});

test('a worker whose image cannot be pulled makes its runtime ✗ although another one serves', async () => {
  const space = await sluice.space('explain');
  const message = 'Back-off pulling image "example.io/worker:v1": ErrImagePull: not found';
  const stuck = { as: 'Pending', reason: 'ImagePullBackOff', message } as const;
  const held = await sluice.plane.pods.hold({ namespace: space.namespace, name: 'demo-worker-1' }, stuck);
  onTestFinished(() => held.release());
  const worker = { enabled: true, image: 'example.io/worker', imageTag: 'v1' };
  await space.create(openDataset('demo'), thinRuntime('demo', { profileName: PROFILE, replicas: 2, worker }));
  await space.bound('ThinRuntime', 'demo');
  await eventually(async () => {
    const [dataset, runtime] = await explained(space, 'demo');
    expect([dataset?.healthy, runtime?.healthy, runtime?.phase]).toEqual([false, false, 'as its spec says, and in trouble']);
    expect(runtime?.causes).toMatchObject([{ reason: 'ImagePullBackOff', toDo: expect.stringContaining('pull secrets') }]);
    expect(runtime?.causes[0]?.message).toContain('StatefulSet demo-worker: 1 of 2 pods ready; pod demo-worker-1: ');
  });
});

test('explain --watch prints again what changes, and ends with Ctrl-C', async () => {
  const space = await sluice.space('explain');
  const { lines, end } = startCommand(['explain', '--watch', '-n', space.namespace, '--kubeconfig', sluice.plane.kubeconfig]);
  onTestFinished(endProcesses);
  const says = (text: string) => eventually(() => expect(lines.join('\n')).toContain(text));
  await says(`Nothing is here: no Dataset, runtime or operation in namespace ${space.namespace}.`);
  await space.create(openDataset('demo'));
  await says('RuntimeNotFound');
  await space.create(thinRuntime('demo', { profileName: PROFILE }));
  await says(`✓ Dataset ${space.namespace}/demo: Bound`);
  expect(lines.filter((line) => line.startsWith('At ')).length).toBeLessThan(10);
  await end('SIGINT');
});

test('a pod that mounts a Dataset on a node without the node plugin says so, then its Dataset', async () => {
  const space = await sluice.space('explain');
  await space.create(openDataset('demo'), thinRuntime('demo', { profileName: PROFILE }));
  await space.bound('ThinRuntime', 'demo');
  const held = await sluice.plane.pods.hold({ namespace: space.namespace, name: 'reader' }, { as: 'Pending' });
  onTestFinished(() => held.release());
  await space.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'reader' },
    spec: {
      containers: [{ name: 'c', image: 'example.io/reader:v1' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'demo' } }],
    },
  });
  await eventually(async () => {
    const [pod, dataset] = await explained(space, 'po/reader');
    expect(pod).toMatchObject({
      object: `Pod ${space.namespace}/reader`,
      healthy: false,
      causes: [{ reason: 'NodePluginMissing' }, {}, {}],
    });
    expect(pod?.details[0]).toBe(`claim ${space.namespace}/demo: Bound, volume ${space.namespace}-demo: Bound`);
    expect([dataset?.object, dataset?.healthy]).toEqual([`Dataset ${space.namespace}/demo`, true]);
  });
});
