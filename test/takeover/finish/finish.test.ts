/** The end of a take-over. */
import { expect, test } from 'vitest';
import { FINISH } from '../../../src/takeover/finish/finish.ts';
import { observerOfFinish } from '../../../src/takeover/finish/observe.ts';
import { type ApiRequest, WRITES } from '../../../src/api-server/index.ts';
import { FORWARD } from '../../../src/takeover/go/forward.ts';
import { carryOut, firstOpen } from '../../../src/takeover/steps/run.ts';
import { NOTHING_DONE } from '../../../src/takeover/steps/step.ts';
import { Stopped } from '../../../src/takeover/steps/stopped.ts';
import { ALL_APPLIED } from '../../../src/takeover/world/world.ts';
import { go, NAMESPACE, scene, type Scene, writes } from '../scene.ts';

const finish = (at: Scene) =>
  carryOut(FINISH, {
    client: at.client,
    clock: at.clock,
    observe: observerOfFinish(at.client, at.target, at.resources),
  });

const HELM = { 'meta.helm.sh/release-name': 'fluid', 'meta.helm.sh/release-namespace': 'default' };
const role = (name: string, annotations: Readonly<Record<string, string>>) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'Helm' }, annotations },
  rules: [],
});

test('what only Fluid needs is deleted, and what serves or is of another release stays', async () => {
  const at = scene();
  at.server.put(role('dataset-controller', HELM));
  at.server.put(role('another', { ...HELM, 'meta.helm.sh/release-name': 'other' }));
  const values = (name: string, data: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', labels: { 'fluid.io/dataset-id': 'x' } },
    data: { data },
  });
  at.server.put(
    values('demo-juicefs-values', 'fullnameOverride: demo\nowner:\n  apiVersion: data.fluid.io/v1alpha1\n  kind: JuiceFSRuntime\n'),
  );
  at.server.put(values('own-values', 'owner: { apiVersion: example.io/v1 }'));
  at.server.put(values('text-values', 'data.fluid.io/v1alpha1: [&'));
  await go(at);
  await finish(at);
  const names = (kind: string) =>
    at.server
      .all(kind)
      .map(({ metadata }) => metadata.name)
      .toSorted();
  expect(names('Deployment')).toEqual(['sluice-controller', 'sluice-webhook']);
  expect(names('ClusterRole')).toEqual(['another', 'sluice-view']);
  expect(names('ClusterRoleBinding')).toEqual([]);
  expect(names('ConfigMap')).toEqual(['own-values', 'text-values']);
  expect(names('Lease')).toEqual(['sluice']);
  expect(names('Secret')).toEqual(['fluid-webhook-certs']);
  expect(at.server.get('Service', NAMESPACE, 'fluid-pod-admission-webhook')).toBeDefined();
  expect(at.server.get('CSIDriver', undefined, 'fuse.csi.fluid.io')).toBeDefined();
  expect(at.violations).toEqual([]);
});

test('the binding that names the namespace of Fluid goes last, so that a run which begins again finds the record', async () => {
  const at = scene();
  const binding = at.server.get('ClusterRoleBinding', undefined, 'dataset-clusterrolebinding')!;
  const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
  at.server.put({ ...binding, metadata: { ...binding.metadata, labels, annotations: HELM } });
  await go(at);
  at.server.forgetRequests();
  await finish(at);
  expect(writes(at).slice(-2)).toEqual(['delete ClusterRoleBinding/dataset-clusterrolebinding', 'delete ConfigMap/sluice-takeover']);
});

test('an end that was interrupted after any write goes on, and the take-over counts as complete meanwhile', async () => {
  const ofFinish = { verb: WRITES, when: ({ options }: ApiRequest) => !options['dryRun'] };
  const whole = scene({ nodes: 1 });
  await go(whole);
  whole.server.forgetRequests();
  await finish(whole);
  const count = whole.server.requestsThat(ofFinish).length;
  expect(count).toBeGreaterThan(5);
  for (let number = 1; number <= count; number++) {
    const at = scene({ nodes: 1 });
    await go(at);
    let written = 0;
    const after = () => {
      if (++written === number) throw new Stopped(['killed']);
    };
    at.server.rules.add(ofFinish, { after });
    await expect(finish(at), `after write ${number}`).rejects.toThrow('killed');
    const world = await observerOfFinish(at.client, at.target, at.resources)(ALL_APPLIED);
    // As the command asks before it goes on.
    if (world.fluid.deployments.length > 0) expect(FORWARD[firstOpen(FORWARD, world)[0]]?.title, `after write ${number}`).toBeUndefined();
    // The last write deletes the record, after which nothing is left to do.
    if (number < count) await finish(at);
    expect(at.digest(), `after write ${number}`).toEqual(whole.digest());
  }
});

test('without a record nothing is deleted: nobody has taken over here', async () => {
  const at = scene();
  for (const { kind, metadata } of at.server.all('Deployment')) at.server.remove(kind, metadata.namespace, metadata.name);
  at.settle();
  at.server.forgetRequests();
  await expect(finish(at)).rejects.toThrow(`ConfigMap ${NAMESPACE}/sluice-takeover does not exist`);
  expect(writes(at)).toEqual([]);
});

test('nothing is deleted while a controller of Fluid runs', async () => {
  const at = scene();
  const world = await observerOfFinish(at.client, at.target, at.resources)(NOTHING_DONE);
  const refusals = FINISH.flatMap((step) => step.of(world)?.refusal ?? []);
  expect(refusals.join()).toContain('dataset-controller');
});
