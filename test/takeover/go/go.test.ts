/** The way from Fluid to Sluice, on an API server in memory with Kubernetes' controllers beside it. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { labels, selector } from '../../../src/install/labels.ts';
import { FORWARD, WITHOUT_CONTROLLER } from '../../../src/takeover/go/forward.ts';
import { observe } from '../../../src/takeover/world/observe.ts';
import { recordIn } from '../../../src/takeover/world/record.ts';
import { firstOpen } from '../../../src/takeover/steps/run.ts';
import { ALL_APPLIED } from '../../../src/takeover/world/world.ts';
import { rightsOf } from '../../../src/takeover/plan/rights.ts';
import { deployment, nodePlugin } from '../fluid/given.ts';
import { back, go, NAMESPACE, scene, type Scene, writes } from '../scene.ts';

const replicasOf = ({ server }: Scene, name: string) =>
  (server.get('Deployment', NAMESPACE, name)?.['spec'] as { replicas?: number } | undefined)?.replicas;
const recordOf = ({ server }: Scene) => recordIn(server.get('ConfigMap', NAMESPACE, 'sluice-takeover'));

test('a take-over leaves one controller, one plugin on each node and one webhook at a time, and every step done', async () => {
  const at = scene({ nodes: 3 });
  await go(at);
  expect(at.violations).toEqual([]);
  expect(firstOpen(FORWARD, await observe(at.client, at.target, ALL_APPLIED))).toEqual([FORWARD.length, undefined]);
  for (const name of ['dataset-controller', 'cacheruntime-controller', 'fluidapp-controller', 'fluid-webhook'])
    expect(replicasOf(at, name)).toBe(0);
  expect(at.server.get('DaemonSet', NAMESPACE, 'csi-nodeplugin-fluid')).toBeUndefined();
  expect(
    at.server
      .all('Pod')
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.startsWith('csi-nodeplugin')),
  ).toEqual([]);
});

test('no more than 10 s pass without a controller, 15 s on a node without a plugin, and none without a webhook', async () => {
  const at = scene({ nodes: 3 });
  const before = { ...at.gaps };
  await go(at);
  const gap = (what: string) => (at.gaps[what] ?? 0) - (before[what] ?? 0);
  expect(gap('controller')).toBeLessThanOrEqual(10);
  for (const node of ['node-1', 'node-2', 'node-3']) expect(gap(node)).toBeLessThanOrEqual(15);
  expect(gap('webhook')).toBe(0);
});

test('beside the manifests it writes once for each Deployment, Lease, plugin pod and record of helm, and two objects more', async () => {
  const at = scene({ nodes: 2 });
  at.server.forgetRequests();
  await go(at);
  const others = writes(at).toSorted();
  expect(others).toEqual(
    [
      // The record: first of all of Fluid, then of AdvancedStatefulSets.
      'create ConfigMap/sluice-takeover',
      'update ConfigMap/sluice-takeover',
      ...['dataset-controller', 'cacheruntime-controller', 'fluidapp-controller', 'fluid-webhook'].map(
        (name) => `patch Deployment/${name}`,
      ),
      ...['dataset', 'cache'].map((name) => `update Lease/${name}.data.fluid.io`),
      'delete DaemonSet/csi-nodeplugin-fluid',
      ...['node-1', 'node-2'].map((node) => `delete Pod/csi-nodeplugin-fluid-${node}`),
      ...[1, 2].map((revision) => `patch Secret/sh.helm.release.v1.fluid.v${revision}`),
    ].toSorted(),
  );
});

test('a second run of the same changes nothing', async () => {
  const at = scene();
  await go(at);
  const before = at.digest();
  at.server.forgetRequests();
  await go(at);
  expect(writes(at)).toEqual([]);
  expect(at.digest()).toEqual(before);
});

test('records what the way back restores: replicas, manifests, and values of the installation', async () => {
  const at = scene();
  await go(at);
  const { replicas, objects, values, workloads } = recordOf(at);
  expect(replicas).toMatchObject({ 'dataset-controller': 2, 'cacheruntime-controller': 1, 'fluid-webhook': 1 });
  expect(objects.service?.['spec']).toMatchObject({ selector: { 'control-plane': 'fluid-webhook' } });
  expect(objects.nodePlugin?.metadata).not.toHaveProperty('uid');
  expect([objects.configuration?.kind, objects.driver?.kind]).toEqual(['MutatingWebhookConfiguration', 'CSIDriver']);
  expect({ values, workloads }).toEqual({ values: { image: 'sluice:1' }, workloads: [] });
});

test('AdvancedStatefulSets are recorded as they are once no controller of Fluid runs', async () => {
  const at = scene();
  const set = {
    apiVersion: 'workload.fluid.io/v1alpha1',
    kind: 'AdvancedStatefulSet',
    metadata: { name: 'late-master', namespace: 'default' },
    spec: { replicas: 1 },
  };
  at.server.rules.add(
    { verb: 'patch', kind: 'Deployment', name: 'cacheruntime-controller', times: 1 },
    { before: () => void at.server.put(set) },
  );
  await go(at);
  expect(recordOf(at).workloads).toMatchObject([{ metadata: { name: 'late-master' }, spec: { replicas: 1 } }]);
});

test('a controller that another client scales up again is stopped again, does not lead, and its scaler is named', async () => {
  const at = scene();
  const said: (readonly string[])[] = [];
  at.server.rules.add(
    { verb: 'apply', kind: 'Deployment', name: 'sluice-controller', times: 1 },
    { after: () => void at.server.put(deployment('dataset-controller', 2), 'argocd-controller') },
  );
  await go(at, { undone: (_, why) => void said.push(why) });
  expect(said).toEqual([[`argocd-controller scaled Deployment ${NAMESPACE}/dataset-controller to 2`]]);
  expect(at.violations).toEqual([]);
  expect(replicasOf(at, 'dataset-controller')).toBe(0);
});

test('a controller of a kind that was never used does not lead either, if it is scaled up after the take-over', async () => {
  const at = scene();
  at.server.put(deployment('efcruntime-controller', 0));
  await go(at);
  expect(at.server.get('Lease', NAMESPACE, 'efc.data.fluid.io')?.['spec']).toMatchObject({
    holderIdentity: 'sluice-takeover',
    leaseDurationSeconds: 315_360_000,
  });
  // Nobody can scale up what has no Deployment.
  expect(at.server.get('Lease', NAMESPACE, 'jindo.data.fluid.io')).toBeUndefined();
  await back(at);
  expect(at.server.get('Lease', NAMESPACE, 'efc.data.fluid.io')?.['spec']).toMatchObject({ holderIdentity: '' });
});

test('a tool that scales a controller up again each time ends the run, which names it', async () => {
  const at = scene();
  at.onTick = () => {
    if (at.server.get('Deployment', NAMESPACE, 'sluice-controller'))
      at.server.put(deployment('dataset-controller', 2), 'argocd-controller');
  };
  await expect(go(at)).rejects.toThrow(/\nargocd-controller scaled Deployment fluid-system\/dataset-controller to 2$/);
  expect(at.violations).toEqual([]);
});

test("a tool that applies Fluid's DaemonSet again each time ends the run, which names the tool, and nothing is lost", async () => {
  const at = scene();
  const { metadata, ...rest } = nodePlugin();
  const tracked = { ...rest, metadata: { ...metadata, annotations: { 'argocd.argoproj.io/tracking-id': 'fluid:apps/DaemonSet:x/y' } } };
  const withTool = () => {
    const isDeleted = at.server.get('DaemonSet', NAMESPACE, metadata.name) === undefined;
    if (isDeleted && replicasOf(at, 'dataset-controller') === 0) at.server.put(tracked, 'argocd-controller');
  };
  at.onTick = withTool;
  await expect(go(at)).rejects.toThrow(
    /^tried 5 times without lasting effect: delete DaemonSet .*\nArgo CD applies it from a repository, Application fluid; pause that: /,
  );
  expect(replicasOf(at, 'dataset-controller')).toBe(0);
  at.onTick = () => {};
  await go(at);
  expect(at.server.get('DaemonSet', NAMESPACE, metadata.name)).toBeUndefined();
});

test.each(['sluice-controller', 'sluice-webhook', 'sluice-csi'])(
  'a pod of %s that a quota or a policy would refuse ends the run before a controller of Fluid stops',
  async (name) => {
    const at = scene();
    const rule = at.server.rules.refuse({ verb: 'create', kind: 'Pod', name: `${name}-dry-run` }, { status: 403, reason: 'Forbidden' });
    await expect(go(at)).rejects.toThrow(`the API server refuses the pod of ${name}: `);
    expect([replicasOf(at, 'dataset-controller'), replicasOf(at, 'cacheruntime-controller')]).toEqual([2, 1]);
    expect(at.server.get('Deployment', NAMESPACE, 'sluice-controller')).toBeUndefined();
    rule.remove();
    await go(at);
    expect(at.violations).toEqual([]);
    expect(at.server.all('Pod').filter(({ metadata }) => metadata.name.endsWith('-dry-run'))).toEqual([]);
  },
);

test('a quota of pods that has no room is told before a controller of Fluid stops, by the words of the API server', async () => {
  const at = scene();
  const pods = at.server.all('Pod').length + 2;
  at.server.put({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'tight', namespace: NAMESPACE },
    spec: { hard: { pods: `${pods}` } },
  });
  await expect(go(at)).rejects.toThrow(/the pod of sluice-controller: .*exceeded quota: tight/);
  expect(replicasOf(at, 'dataset-controller')).toBe(2);
});

test('a node on which the new plugin does not serve within 60 s ends the run, and the nodes after it keep theirs', async () => {
  const at = scene({ nodes: 3 });
  at.onTick = () => {
    const isGone = at.server.get('Pod', NAMESPACE, 'csi-nodeplugin-fluid-node-2') === undefined;
    at.controllers.paused[isGone ? 'add' : 'delete']('pods');
  };
  await expect(go(at)).rejects.toThrow("waited 60 s in vain until Sluice's plugin serves on node-2");
  expect(at.server.get('Pod', NAMESPACE, 'csi-nodeplugin-fluid-node-3')).toBeDefined();
  at.onTick = () => at.controllers.paused.delete('pods');
  await go(at);
  expect(at.violations).toEqual([]);
});

test('a pod of a stopped controller that does not end keeps Sluice from starting', async () => {
  const at = scene();
  const name = at.server.all('Pod').find(({ metadata }) => metadata.name.startsWith('dataset-controller'))?.metadata.name ?? '';
  const held = at.server.get('Pod', NAMESPACE, name)!;
  at.server.put({ ...held, metadata: { ...held.metadata, finalizers: ['example.io/held'] } });
  await expect(go(at)).rejects.toThrow(`waited 60 s in vain until pod ${name}`);
  expect(at.server.get('Deployment', NAMESPACE, 'sluice-controller')).toBeUndefined();
});

test('a pod of a controller that was evicted, and stays for as long as its Deployment, holds nobody up', async () => {
  const at = scene();
  const pod = at.server.all('Pod').find(({ metadata }) => metadata.name.startsWith('dataset-controller'))!;
  const evicted = (name: string, labels: Readonly<Record<string, string>>) =>
    at.server.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: NAMESPACE, labels },
      spec: pod['spec'],
      status: { phase: 'Failed', reason: 'Evicted' },
    });
  evicted('dataset-controller-evicted', pod.metadata.labels ?? {});
  evicted('sluice-webhook-evicted', labels('webhook'));
  await go(at);
  expect(at.violations).toEqual([]);
  expect(at.server.get('Pod', NAMESPACE, 'dataset-controller-evicted')).toBeDefined();
});

test('AdvancedStatefulSets that do not fit into the record end the run before a controller stops', async () => {
  const at = scene();
  for (const name of ['one', 'two', 'three', 'four', 'five', 'six'])
    at.server.put({
      apiVersion: 'workload.fluid.io/v1alpha1',
      kind: 'AdvancedStatefulSet',
      metadata: { name, namespace: 'default', annotations: { filler: randomBytes(190_000).toString('base64') } },
      spec: { replicas: 1 },
    });
  await expect(go(at)).rejects.toThrow('AdvancedStatefulSet default/one');
  expect(replicasOf(at, 'dataset-controller')).toBe(2);
});

test('a node that does not answer delays no other node: its plugin is deleted last', async () => {
  const at = scene({ nodes: 3 });
  const node = at.server.get('Node', undefined, 'node-1')!;
  at.server.put({ ...node, status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } });
  at.server.forgetRequests();
  await go(at);
  expect(writes(at).filter((each) => each.startsWith('delete Pod'))).toEqual(
    ['node-2', 'node-3', 'node-1'].map((each) => `delete Pod/csi-nodeplugin-fluid-${each}`),
  );
});

test('what may not be read does not count as gone', async () => {
  const at = scene();
  at.server.rules.refuse({ verb: 'list', kind: 'Pod' }, { status: 403, reason: 'Forbidden' });
  at.server.forgetRequests();
  await expect(go(at)).rejects.toThrow(`expected the right to list pods in ${NAMESPACE}; the API server refused it`);
  expect(writes(at)).toEqual([]);
});

test('the rights that the plan asks for are those that a take-over needs', async () => {
  const at = scene();
  at.server.forgetRequests();
  await go(at);
  const asked = rightsOf([...at.target.parts.values()].flat(), NAMESPACE, { namespace: 'default' });
  const verbs: Readonly<Record<string, readonly string[]>> = { apply: ['create', 'patch'] };
  const isCovered = ({ verb, type: { group, plural }, namespace }: (typeof at.server.requests)[number]) =>
    (verbs[verb] ?? [verb]).every((each) =>
      asked.some(
        (right) =>
          right.verb === each && right.group === group && right.resource === plural && (right.namespace ?? namespace) === namespace,
      ),
    );
  // Whether a kind is served is asked of the kind, where a refusal is an answer too.
  const ofCommand = at.server.requestsThat({
    when: ({ manager, type }) => ['sluice-takeover', 'kubectl'].includes(manager) && type.group !== 'data.fluid.io',
  });
  expect([
    ...new Set(
      ofCommand.filter((request) => !isCovered(request)).map(({ verb, type, namespace }) => `${verb} ${type.plural} in ${namespace}`),
    ),
  ]).toEqual([]);
});

test('a controller of a try, which leads for some namespaces, does not count: the step ends with one of all', async () => {
  const at = scene();
  const metadata = { name: 'sluice-controller', namespace: NAMESPACE, labels: labels('controller') };
  const containers = [{ name: 'controller', image: 'sluice:1', args: ['reconcile', '--namespaces=ml'] }];
  at.server.put({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: 1,
      selector: { matchLabels: selector('controller') },
      template: { metadata: { labels: metadata.labels }, spec: { containers } },
    },
  });
  for (let i = 0; i < 4; i++) at.settle();
  const argsOfLeader = () => {
    const holder = (at.server.get('Lease', NAMESPACE, 'sluice')?.['spec'] as { holderIdentity?: string } | undefined)?.holderIdentity ?? '';
    const pod = at.server.get('Pod', NAMESPACE, holder.replace(/_1$/, ''));
    return (pod?.['spec'] as { containers?: readonly { args?: readonly string[] }[] } | undefined)?.containers?.[0]?.args ?? [];
  };
  expect(argsOfLeader()).toContain('--namespaces=ml');
  at.server.rules.add(
    { verb: 'apply', name: 'sluice-controller' },
    { after: (request) => void (request.kind === 'Deployment' && at.server.put(withoutArgs(at))) },
  );
  await go(at, { done: (step) => void (step === WITHOUT_CONTROLLER.to && expect(argsOfLeader()).toEqual([])) });
});

/** The Deployment as kubectl leaves it once it owns the arguments too. */
function withoutArgs({ server }: Scene) {
  const live = server.get('Deployment', NAMESPACE, 'sluice-controller')!;
  const { template, ...spec } = live['spec'] as { template: { spec: { containers: readonly { args?: unknown }[] } } };
  const containers = template.spec.containers.map(({ args: _args, ...container }) => container);
  return { ...live, spec: { ...spec, template: { ...template, spec: { ...template.spec, containers } } } };
}
