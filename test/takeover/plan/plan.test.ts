/** The plan of a take-over over an API server in memory: Fluid's own objects, and Datasets as Fluid left them. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runtimes } from '../../../runtimes/_all.gen.ts';
import { resources } from '../../../runtimes/_resources.gen.ts';
import { type ApiServer, createApiServer, WRITES } from '../../../src/api-server/index.ts';
import { operationKinds } from '../../../src/api/index.ts';
import { gatherPlan, type PlanOptions } from '../../../src/cli/takeover/gather-plan.ts';
import { planLines } from '../../../src/cli/takeover/plan-lines.ts';
import { plain } from '../../../src/cli/terminal.ts';
import { type KubeObject, resourceType } from '../../../src/kube/types.ts';
import { typeOf, workloadType } from '../../../src/planning/kinds.ts';
import { putGolden } from '../../reconciler/takeover/put-golden.ts';
import { GOLDENS, hasGoldens } from '../../upstream/cases.ts';
import { chartOf, VERSIONS } from '../charts.ts';
import { binding, configuration, deployment, lease, nodePlugin, pluginPod, pod, record } from '../fluid/given.ts';

const version = { version: 'v1alpha1' };
const Application = { ...resourceType('argoproj.io', 'Application', 'applications'), ...version };
const GooseFSRuntime = { ...resourceType('data.fluid.io', 'GooseFSRuntime', 'goosefsruntimes'), ...version };

const few: readonly KubeObject[] = [
  binding('fluid-system'),
  configuration('fluid-system'),
  deployment('dataset-controller'),
  deployment('thinruntime-controller'),
  nodePlugin(),
];

/** Fluid itself, and these Datasets of its. */
function clusterOf(goldens: readonly string[] = [], installed = few): ApiServer {
  const sets = runtimes.flatMap(({ fluidsWorkloads }) => (fluidsWorkloads ? [workloadType(fluidsWorkloads)] : []));
  const server = createApiServer({
    kinds: [...resources.map(typeOf), ...sets, Application, GooseFSRuntime],
    namespaces: ['default', 'fluid-system', 'ml'],
  });
  for (const object of [
    ...installed,
    pod('dataset-controller-7d9-x', { 'control-plane': 'dataset-controller' }, 'node-1'),
    pluginPod('node-1'),
    lease('dataset.data.fluid.io', 'dataset-controller-7d9-x_1'),
  ])
    server.put(object);
  for (const golden of goldens) putGolden(server, join(GOLDENS, golden));
  return server;
}

/** @param allows whether the API server says that the user has a right */
async function planned(server: ApiServer, options: Partial<PlanOptions> = {}, allows: (resource: string) => boolean = () => true) {
  const client = {
    ...server.client({ fieldManager: 'sluice' }),
    raw: async (_: string, __: string, { body }: { body?: unknown } = {}) => {
      const { spec } = body as { readonly spec: { readonly resourceAttributes: { readonly resource: string } } };
      return { status: { allowed: allows(spec.resourceAttributes.resource) } };
    },
  };
  server.forgetRequests();
  return gatherPlan(client, { runtimes, resources, ...options });
}
const about = ({ decisions }: Awaited<ReturnType<typeof planned>>) => decisions.map(({ about: each }) => each);

const dataset = (name: string, more: object = {}): KubeObject =>
  ({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'Dataset',
    metadata: { name, namespace: 'ml' },
    spec: { mounts: [{ mountPoint: 's3://b', name: 'd' }] },
    ...more,
  }) as KubeObject;

test('a cluster without Datasets has nothing to decide, and nothing is written', async () => {
  const server = clusterOf();
  const plan = await planned(server);
  expect(plan.decisions).toEqual([]);
  expect(server.requestsThat({ verb: WRITES })).toEqual([]);
  const text = plain(planLines(plan));
  expect(text).toContain('Fluid v1.0.8-6533239 in namespace fluid-system.\n');
  expect(text).toContain('0 Datasets.\n0 runtimes.\n0 operations.\n');
  expect(text).toMatch(/No pod restarts or ends, and no mount is lost\.\n[^]*Nothing has to be decided\.\n$/);
});

const CASES = ['juicefs/ce-min', 'thin/plain-min', 'jindo/oss-basic', 'alluxio/two-tier', 'efc/full', 'vineyard/default', 'cache/full'];

test.skipIf(!hasGoldens).each(CASES)('%s is adopted: no pod restarts or ends, and no mount is lost', async (golden) => {
  const server = clusterOf([golden]);
  const { summary, decisions, groups } = await planned(server);
  expect(decisions).toEqual([]);
  expect(summary).toMatchObject({ datasets: { Bound: 1 }, harmed: 0 });
  expect(Object.keys(summary.runtimes)).toHaveLength(1);
  const objects = groups.flatMap((each) => each.objects);
  const kinds = new Set(objects.map(({ object }) => object.split(' ')[0]));
  for (const kind of ['DaemonSet', 'PersistentVolume', 'PersistentVolumeClaim']) expect(kinds).toContain(kind);
  const claims = objects.filter(({ object }) => object.startsWith('Persistent'));
  expect(claims.every(({ fate }) => ['adopted', 'changed', 'kept'].includes(fate))).toBe(true);
  // Dry runs only.
  const written = server.requestsThat({ verb: WRITES }).filter(({ options }) => (options as { dryRun?: boolean }).dryRun !== true);
  expect(written).toEqual([]);
});

test.skipIf(!hasGoldens).each(VERSIONS)(
  'a Fluid %s, as its chart installs it, leaves nothing to decide, and a Dataset is adopted',
  async (version) => {
    const plan = await planned(clusterOf(['juicefs/ce-min'], chartOf(version).objects));
    expect(plan.decisions).toEqual([]);
    expect(plan.summary).toMatchObject({ datasets: { Bound: 1 }, harmed: 0 });
    expect(plain(planLines(plan))).toContain(`Fluid v${version}-0123456 in namespace fluid-system.\n`);
  },
);

test.skipIf(!hasGoldens)('host ports of Fluid stay, and are named', async () => {
  const text = plain(planLines(await planned(clusterOf(['alluxio/two-tier']))));
  expect(text).toMatch(/StatefulSet \S+-master: adopted.*host ports stay: 2\d{4}/);
});

test.skipIf(!hasGoldens)('AdvancedStatefulSets are deleted and their pods stay', async () => {
  const { groups } = await planned(clusterOf(['cache/full']));
  const found = groups.find(({ of }) => of === 'AdvancedStatefulSets of Fluid');
  expect(found?.objects).toEqual([
    expect.objectContaining({ object: expect.stringMatching(/^AdvancedStatefulSet .*-master$/) as unknown, fate: 'deleted', harm: [] }),
    expect.objectContaining({ notes: ['its 2 pods stay, and the StatefulSet of its name adopts them'] }),
  ]);
});

test.skipIf(!hasGoldens)('a StatefulSet that is created in place of an AdvancedStatefulSet adopts its pods', async () => {
  const text = plain(planLines(await planned(clusterOf(['cache/full']))));
  expect(text).toMatch(/StatefulSet \S+-master: is created; it adopts the pods of the AdvancedStatefulSet\n/);
});

test('taints of the nodes of Fluid that Sluice does not tolerate are a note, until the values tolerate them', async () => {
  const server = clusterOf();
  const taints = [{ key: 'dedicated', value: 'system', effect: 'NoSchedule' }];
  server.put({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' }, spec: { taints } });
  expect((await planned(server)).notes).toEqual([expect.stringContaining('node node-1 with the taint dedicated=system:NoSchedule')]);
  const tolerations = [{ key: 'dedicated', operator: 'Equal', value: 'system' }];
  expect((await planned(server, { chartValues: { dataset: { tolerations } } })).notes).toEqual([]);
});

test.skipIf(!hasGoldens)('an object with a fault hides no other, and has to be decided', async () => {
  const server = clusterOf(['thin/plain-min', 'juicefs/ce-min']);
  const broken = server.all('JuiceFSRuntime')[0]!;
  server.put({ ...broken, spec: { ...(broken['spec'] as object), replicas: 'three' } });
  const plan = await planned(server);
  expect(about(plan)).toEqual([expect.stringMatching(/^JuiceFSRuntime /)]);
  expect(plan.groups.map(({ of }) => of)).toEqual([expect.stringMatching(/^ThinRuntime /)]);
});

test('a Dataset without a runtime is a note: Fluid does nothing for it either', async () => {
  const server = clusterOf();
  server.put(dataset('images'));
  const plan = await planned(server);
  expect(plan.decisions).toEqual([]);
  expect(plan.summary.datasets).toEqual({ NotBound: 1 });
  expect(plan.notes).toEqual([expect.stringContaining('Dataset ml/images: metadata.name: expected a runtime ml/images')]);
});

test.skipIf(!hasGoldens)('an object of another owner under a name that Sluice needs has to be decided', async () => {
  const server = clusterOf(['thin/plain-min']);
  const fuse = server.all('DaemonSet').find(({ metadata }) => metadata.name.endsWith('-fuse'))!;
  server.put({ ...fuse, metadata: { name: fuse.metadata.name, namespace: fuse.metadata.namespace! } });
  const plan = await planned(server);
  expect(about(plan)).toEqual([`DaemonSet ${fuse.metadata.namespace}/${fuse.metadata.name}`]);
  expect(plan.decisions[0]?.what).toContain('belongs to');
});

test.skipIf(!hasGoldens)('a Dataset that is being deleted is a note, and is not compared', async () => {
  const server = clusterOf(['thin/plain-min', 'juicefs/ce-min']);
  const { namespace, name } = server.all('ThinRuntime')[0]!.metadata;
  server.delete('Dataset', namespace, name);
  const plan = await planned(server);
  expect(plan.notes).toContain(`Dataset ${namespace}/${name} is being deleted: Sluice finishes that`);
  expect(plan.groups.map(({ of }) => of)).toEqual([expect.stringMatching(/^JuiceFSRuntime /)]);
});

test('Datasets that may not be listed have to be decided, rather than be none', async () => {
  const server = clusterOf();
  server.rules.refuse({ kind: 'Dataset', verb: 'list' }, { status: 403, reason: 'Forbidden' });
  const { decisions, summary } = await planned(server);
  expect(summary.datasets).toEqual({});
  expect(decisions).toMatchObject([{ what: 'you may not list these in all namespaces, so others were not compared: Dataset' }]);
});

test('a kind that Sluice does not serve has to be decided', async () => {
  const server = clusterOf();
  server.put({ ...dataset('goose'), kind: 'GooseFSRuntime', spec: {} });
  expect(about(await planned(server))).toEqual(['GooseFSRuntime ml/goose']);
});

test('a GitOps tool that is not paused has to be paused', async () => {
  const server = clusterOf();
  const tracking = { 'argocd.argoproj.io/tracking-id': 'fluid:apps/Deployment:fluid-system/dataset-controller' };
  server.put(deployment('dataset-controller', 1, { annotations: tracking }));
  const application = (automated: object | undefined): KubeObject => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'fluid', namespace: 'default' },
    spec: { syncPolicy: { automated } },
  });
  server.put(application({}));
  const plan = await planned(server);
  expect(about(plan)).toEqual(['Application default/fluid of Argo CD']);
  expect(plan.decisions[0]?.how).toMatch(/^Pause it: kubectl -n default patch application fluid /);
  server.put(application(undefined));
  expect(about(await planned(server))).toEqual([]);
});

test("a file of values takes the place of those of helm's release, and the plan follows them", async () => {
  const server = clusterOf(hasGoldens ? ['juicefs/ce-min'] : []);
  server.put(record('Secret', 1, 'deployed', { runtime: { mountRoot: '/mnt/fluid' }, helmDriver: 'secret' }));
  const released = await planned(server);
  expect(released.values.values).toEqual({ mountRoot: '/mnt/fluid' });
  expect(plain(planLines(released))).toMatch(/runtime\.mountRoot → mountRoot: "\/mnt\/fluid"\n {2}no place: helmDriver: /);
  const given = await planned(server, { chartValues: { runtime: { jindo: { engine: 'jindofs' } } } });
  expect(given.values.values).toEqual({});
  expect(about(given)).toEqual(['value runtime.jindo.engine']);
  const wrong = await planned(server, { chartValues: { runtime: { mountRoot: '/etc/x', alluxio: { portRange: '1' } } } });
  expect(wrong.decisions).toMatchObject([{ about: 'values of sluice install', what: expect.stringContaining('mountRoot') as unknown }]);
});

test('rights that are missing are named, those to read and those for the take-over', async () => {
  const server = clusterOf(hasGoldens ? ['thin/plain-min'] : []);
  server.rules.refuse({ kind: 'Lease' }, { status: 403, reason: 'Forbidden' });
  const plan = await planned(server, {}, (resource) => resource !== 'clusterroles');
  expect(plan.decisions).toEqual([
    expect.objectContaining({ what: 'to see all of Fluid, these are missing: list leases.coordination.k8s.io in fluid-system' }),
    expect.objectContaining({
      what: 'for the take-over, these are missing: create clusterroles.rbac.authorization.k8s.io, patch clusterroles.rbac.authorization.k8s.io, list clusterroles.rbac.authorization.k8s.io',
    }),
  ]);
});

test.skipIf(!hasGoldens)('only objects of the namespaces that are asked for are compared', async () => {
  const server = clusterOf(['thin/plain-min', 'juicefs/ce-min']);
  const { namespace = '' } = server.all('ThinRuntime')[0]!.metadata;
  const plan = await planned(server, { namespaces: [namespace] });
  expect(plan.summary.runtimes).toEqual({ ThinRuntime: 1 });
  expect(plan.groups.map(({ of }) => of)).toEqual([`ThinRuntime ${namespace}/demo`]);
});

test.skipIf(!hasGoldens)('each object is read once, and the lists are too', async () => {
  const server = clusterOf(['thin/plain-min', 'juicefs/ce-min']);
  const plan = await planned(server);
  const objects = plan.groups.flatMap((each) => each.objects).length;
  const lists = server
    .requestsThat({ verb: 'list' })
    .filter(({ options }) => (options as { labelSelector?: string }).labelSelector === undefined);
  const whole = lists.map(({ kind, namespace }) => `${kind} ${namespace ?? ''}`);
  expect(whole).toEqual([...new Set(whole)]);
  expect(server.requestsThat({ verb: 'get' }).length).toBeLessThan(3 * objects + 40);
  expect(operationKinds.every(({ kind }) => whole.includes(`${kind} `))).toBe(true);
});
