/** The end of a take-over. */
import { expect, test } from 'vitest';
import { FINISH } from '../../../src/takeover/finish/finish.ts';
import { observeFinish } from '../../../src/takeover/finish/observe.ts';
import { carryOut } from '../../../src/takeover/steps/run.ts';
import { go, NAMESPACE, scene, type Scene, writes } from '../scene.ts';

const finish = (at: Scene) =>
  carryOut(FINISH, {
    client: at.client,
    clock: at.clock,
    observe: (run) => observeFinish(at.client, at.target, at.resources, run),
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
  const values = (name: string, labels: object) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', labels: { 'fluid.io/dataset-id': 'x', ...labels } },
  });
  at.server.put(values('demo-juicefs-values', {}));
  at.server.put(values('own-values', { 'data.fluid.io/owner-uid': 'u' }));
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
  expect(names('ConfigMap')).toEqual(['own-values']);
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
  const world = await observeFinish(at.client, at.target, at.resources, { applied: new Set(), deleted: new Set() });
  const refusals = FINISH.flatMap((step) => step.of(world)?.refusal ?? []);
  expect(refusals.join()).toContain('dataset-controller');
});
