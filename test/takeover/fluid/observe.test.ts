/** An installation of Fluid, read from its objects. */
import { expect, test } from 'vitest';
import { createApiServer } from '../../../src/api-server/index.ts';
import { type KubeObject, resourceType } from '../../../src/kube/types.ts';
import { isInstalled } from '../../../src/takeover/fluid/installation.ts';
import { installationInWords } from '../../../src/takeover/fluid/in-words.ts';
import { observeFluid } from '../../../src/takeover/fluid/observe.ts';
import { rightText } from '../../../src/takeover/fluid/reads.ts';
import { binding, configuration, deployment, lease, nodePlugin, pluginPod, pod, record } from './given.ts';

const custom = (group: string, kind: string, plural: string, version: string) => ({ ...resourceType(group, kind, plural), version });
const Application = custom('argoproj.io', 'Application', 'applications', 'v1alpha1');
const HelmReleaseOfFlux = custom('helm.toolkit.fluxcd.io', 'HelmRelease', 'helmreleases', 'v2beta2');

function clusterOf(...objects: readonly KubeObject[]) {
  const server = createApiServer({ kinds: [Application, HelmReleaseOfFlux], namespaces: ['default', 'fluid-system', 'fluid', 'argocd'] });
  for (const object of objects) server.put(object);
  return { server, observe: (options = {}) => observeFluid(server.client({ fieldManager: 'a-user' }), options) };
}

const whole = () =>
  clusterOf(
    binding('fluid-system'),
    configuration('fluid-system'),
    deployment('dataset-controller'),
    deployment('thinruntime-controller'),
    deployment('goosefsruntime-controller', 0),
    deployment('fluid-webhook'),
    deployment('of-others'),
    pod('dataset-controller-7d9-x', { 'control-plane': 'dataset-controller' }, 'node-1'),
    pod('of-others-1', { 'control-plane': 'of-others' }, 'node-1'),
    nodePlugin(),
    pluginPod('node-1'),
    pluginPod('node-2', false),
    lease('dataset.data.fluid.io', 'dataset-controller-7d9-x_1'),
    lease('thin.data.fluid.io', ''),
    lease('of-others', 'x'),
  );

test('an installation is read with its pods, their nodes and its Leases, and nothing of others', async () => {
  const fluid = await whole().observe();
  expect(fluid.deployments.map(({ name, role, replicas, pods }) => [name, role, replicas, pods.map((each) => each.name)])).toEqual([
    ['dataset-controller', 'controller', 1, ['dataset-controller-7d9-x']],
    ['thinruntime-controller', 'controller', 1, []],
    ['goosefsruntime-controller', 'other', 0, []],
    ['fluid-webhook', 'webhook', 1, []],
  ]);
  expect(fluid.nodePlugin?.pods.map(({ node, isReady }) => [node, isReady])).toEqual([
    ['node-1', true],
    ['node-2', false],
  ]);
  expect(fluid.leases.map(({ name, holder }) => [name, holder])).toEqual([
    ['dataset.data.fluid.io', 'dataset-controller-7d9-x_1'],
    ['thin.data.fluid.io', ''],
  ]);
  expect(fluid).toMatchObject({ namespace: 'fluid-system', versions: ['v1.0.8-6533239'], missingRights: [], gitOps: [] });
  expect(isInstalled(fluid)).toBe(true);
});

test('the number of requests does not grow with the cluster', async () => {
  const { server, observe } = whole();
  await observe();
  const few = server.requests.length;
  for (let i = 0; i < 50; i++) server.put({ ...deployment(`app-${i}`), metadata: { name: `app-${i}`, namespace: 'default' } });
  server.forgetRequests();
  await observe();
  expect(server.requests).toHaveLength(few);
  expect(few).toBeLessThan(30);
});

test.each([
  ['its ClusterRoleBinding', [binding('fluid')], 'fluid'],
  ['its webhook', [configuration('fluid')], 'fluid'],
  ['nothing', [], 'fluid-system'],
])('the namespace is the one that %s names', async (_, objects, namespace) => {
  expect((await clusterOf(...objects).observe()).namespace).toBe(namespace);
  expect((await clusterOf(...objects).observe({ namespace: 'argocd' })).namespace).toBe('argocd');
});

test('a Deployment of that name in the namespace of a tenant does not count', async () => {
  const { server, observe } = clusterOf();
  server.put({ ...deployment('dataset-controller'), metadata: { name: 'dataset-controller', namespace: 'default' } });
  const fluid = await observe();
  expect(isInstalled(fluid)).toBe(false);
  expect(installationInWords(fluid)).toEqual([
    'Fluid is not installed: namespace fluid-system has none of its controllers, node plugins and Leases.',
  ]);
});

test('pods of the node plugin are found after its DaemonSet was deleted', async () => {
  const { nodePlugin: found } = await clusterOf(pluginPod('node-1')).observe();
  expect(found).toMatchObject({ pods: [{ node: 'node-1' }] });
  expect(found?.object).toBeUndefined();
});

test.each(['Secret', 'ConfigMap'] as const)("the values that a user gave are in helm's record, a %s", async (kind) => {
  const { release } = await clusterOf(
    deployment('dataset-controller'),
    record(kind, 1, 'superseded', { workdir: '/old' }, '1.0.4'),
    record(kind, 2, 'deployed', { runtime: { mountRoot: '/mnt/fluid' } }),
    record(kind, 10, 'failed', { workdir: '/new' }),
  ).observe();
  expect(release).toEqual({
    name: 'fluid',
    namespace: 'default',
    chartVersion: '1.0.8',
    values: { runtime: { mountRoot: '/mnt/fluid' } },
    records: [1, 2, 10].map((revision) => expect.objectContaining({ kind, revision, name: `sh.helm.release.v1.fluid.v${revision}` })),
  });
});

test('a record that helm did not write has no values', async () => {
  const broken = { ...record('Secret', 1, 'deployed', {}), data: { release: 'AAAA' } };
  const { release } = await clusterOf(deployment('dataset-controller'), broken).observe();
  expect(release).toMatchObject({ records: [{ revision: 1 }] });
  expect(release?.values).toBeUndefined();
});

test('what may not be read is named by its right, and the rest is read', async () => {
  const { server, observe } = whole();
  server.put(record('Secret', 1, 'deployed', {}));
  for (const kind of ['Secret', 'ClusterRoleBinding']) server.rules.refuse({ kind }, { status: 403, reason: 'Forbidden' });
  server.rules.refuse({ kind: 'Deployment', verb: 'get' }, { status: 403, reason: 'Forbidden' });
  const fluid = await observe();
  expect(fluid.missingRights.map(rightText).toSorted()).toEqual([
    'get clusterrolebindings.rbac.authorization.k8s.io/dataset-clusterrolebinding',
    'get secrets/fluid-webhook-certs in fluid-system',
    'list secrets in default',
  ]);
  expect(fluid.deployments).toHaveLength(4);
  expect(fluid.release).toMatchObject({ name: 'fluid', records: [] });
});

test('an API server that fails is an error', async () => {
  const { server, observe } = whole();
  server.rules.refuse({ kind: 'Lease' });
  await expect(observe()).rejects.toThrow('500');
});

const application = (spec: object, annotations: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'fluid', namespace: 'argocd', annotations },
  spec,
});
const tracked = () =>
  deployment('dataset-controller', 1, {
    annotations: { 'argocd.argoproj.io/tracking-id': 'fluid:apps/Deployment:fluid-system/dataset-controller' },
  });
const labelled = () => deployment('dataset-controller', 1, { labels: { 'app.kubernetes.io/instance': 'fluid' } });

test.each([
  ['synchronises by itself', { syncPolicy: { automated: { selfHeal: true } } }, {}, false],
  ['is switched off', { syncPolicy: { automated: { enabled: false } } }, {}, true],
  ['is synchronised by hand', {}, {}, true],
  ['is not reconciled', { syncPolicy: { automated: {} } }, { 'argocd.argoproj.io/skip-reconcile': 'true' }, true],
])('an Application of Argo CD that %s', async (_, spec, annotations, isPaused) => {
  for (const object of [tracked(), labelled()]) {
    const { gitOps } = await clusterOf(object, application(spec, annotations)).observe();
    expect(gitOps).toEqual([
      expect.objectContaining({ tool: 'Argo CD', kind: 'Application', namespace: 'argocd', name: 'fluid', isPaused }),
    ]);
    expect(gitOps[0]?.pause).toMatch(/^kubectl -n argocd patch application fluid --type=merge -p /);
  }
});

test('a tracking id without its Application is an owner of which nothing is known, an instance label is none', async () => {
  expect((await clusterOf(tracked()).observe()).gitOps).toMatchObject([{ name: 'fluid', isPaused: undefined }]);
  expect((await clusterOf(labelled()).observe()).gitOps).toEqual([]);
});

test.each([true, false])('a HelmRelease of Flux, suspended: %s', async (suspend) => {
  const labels = { 'helm.toolkit.fluxcd.io/name': 'fluid', 'helm.toolkit.fluxcd.io/namespace': 'argocd' };
  const owner = {
    apiVersion: 'helm.toolkit.fluxcd.io/v2beta2',
    kind: 'HelmRelease',
    metadata: { name: 'fluid', namespace: 'argocd' },
    spec: { suspend },
  };
  const { gitOps } = await clusterOf(deployment('dataset-controller', 1, { labels }), owner).observe();
  expect(gitOps).toEqual([
    expect.objectContaining({ tool: 'Flux', kind: 'HelmRelease', namespace: 'argocd', name: 'fluid', isPaused: suspend }),
  ]);
});
