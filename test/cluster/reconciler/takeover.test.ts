/** An installation of Fluid is taken over: its objects as the goldens show them, and then our controller. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { createClient, type KubeClient } from '../../../src/kube/client/kube-client.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { connectionFromKubeconfig } from '../../../src/kube/kubeconfig/kubeconfig.ts';
import type { SharedControlPlane } from '../../../harness/index.ts';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';
import { type Kind, kinds } from '../../support/kinds.ts';
import {
  condition,
  createSpace,
  established,
  eventually,
  installCrds,
  type RuntimeKind,
  type Sluice,
  type Space,
  startSluice,
} from '../../support/sluice.ts';
import { GOLDENS, hasGoldens } from '../../upstream/cases.ts';
import { asBefore105 } from '../../reconciler/takeover/put-golden.ts';

type Made = readonly (readonly [Kind, string])[];

describe.skipIf(!simulated || !hasGoldens)('taking over from Fluid', () => {
  let plane: SharedControlPlane;
  let client: KubeClient;
  beforeAll(async () => {
    plane = sharedControlPlane();
    await installCrds(plane);
    client = createClient(connectionFromKubeconfig([plane.kubeconfig]), { fieldManager: 'ddc-helm' });
  });
  afterAll(() => client?.close());

  describe.concurrent('the objects of helm', () => {
    const CASES = [
      ['juicefs/ce-min', 'JuiceFSRuntime', 'jfsdemo'],
      ['thin/plain-min', 'ThinRuntime', 'demo'],
      ['jindo/oss-basic', 'JindoRuntime', 'jd'],
      ['efc/full', 'EFCRuntime', 'efc-demo'],
      ['vineyard/default', 'VineyardRuntime', 'vy'],
    ] as const;
    /** As a version before 1.0.5 created them. */
    const OLD = new Set(['jindo/oss-basic', 'vineyard/default']);
    let sluice: Sluice;
    const left = new Map<string, Awaited<ReturnType<typeof whenRead>>>();
    // One controller for all of them: each is as Fluid left it before that starts.
    beforeAll(async () => {
      await Promise.all(CASES.map(async ([golden, kind, name]) => void left.set(golden, await whenRead(golden, kind, name))));
      sluice = await startSluice(plane, { installed: true });
    });
    afterAll(async () => {
      await sluice?.stop();
      // Waited for: their names are the goldens', and other files want them too.
      await plane.kubectl('delete', 'namespace', ...[...left.values()].map(({ space }) => space.namespace));
    });

    /** As Fluid left it, while a pod reads: Fluid's node plugin has labelled the node, and the fuse pod runs. */
    async function whenRead(golden: string, kind: RuntimeKind, name: string) {
      const { space, made } = await asFluidLeftIt(golden, kind, name, OLD.has(golden) ? asBefore105 : undefined);
      await plane.kubectl('label', 'node', 'node-1', `fluid.io/f-${space.namespace}-${name}=true`);
      const [, fuse = ''] = made.find(([each]) => each === 'DaemonSet') ?? [];
      await space.becomes('DaemonSet', fuse, { status: { numberReady: 1 } });
      const values = (await space.list('ConfigMap')).find(({ metadata }) => metadata.name.endsWith('-values'));
      const [uids, selectors, ready] = [await uidsOf(space, made), await selectorsOf(space, made), await readySince(space, name)];
      return { space, made, values, uids, selectors, ready };
    }
    const uidsOf = async (space: Space, made: Made) =>
      Object.fromEntries(
        await Promise.all(
          [...made, ...(await pods(space))].map(async ([each, id]) => [`${each}/${id}`, (await space.get(each, id)).metadata.uid]),
        ),
      ) as Readonly<Record<string, string>>;
    const selectorsOf = (space: Space, made: Made) =>
      Promise.all(made.map(async ([each, id]) => ((await space.get(each, id))['spec'] as { selector?: object } | undefined)?.selector));

    test.each(CASES)('%s: nothing is created again, nothing is deleted, and the dataset stays bound', async (golden, kind, name) => {
      const { space, made, values, uids, selectors, ready } = left.get(golden)!;
      await space.becomes(kind, name, condition('Synced', { status: 'True' }));
      const owner = (await space.get(kind, name)).metadata.uid;
      const ours = made.filter(([, id]) => !id.endsWith('-values'));
      for (const [each, id] of ours) await space.becomes(each, id, { metadata: { labels: { 'data.fluid.io/owner-uid': owner } } });
      await space.bound(kind, name);
      expect(await uidsOf(space, made)).toEqual(uids);
      for (const { metadata } of await space.list('Pod'))
        expect(metadata.labels, metadata.name).toHaveProperty(['fluid.io/dataset-id'], `${space.namespace}-${name}`);
      // A Service selects its pods by fewer labels, if the other ones are of the version of Fluid's chart.
      expect(selectors).toMatchObject(await selectorsOf(space, made));
      // Otherwise a field that an edit removes would remain.
      for (const [each, id] of ours)
        expect(JSON.stringify((await space.get(each, id)).metadata.managedFields), id).not.toContain('ddc-helm');
      expect(await readySince(space, name)).toBe(ready);
      // So that going back works.
      expect((await space.get('ConfigMap', values?.metadata.name ?? '')).metadata.resourceVersion).toBe(values?.metadata.resourceVersion);
      const read = [...(await space.list('ConfigMap')), ...(await space.list('StatefulSet'))];
      const texts = JSON.stringify(read.filter(({ metadata }) => !metadata.name.endsWith('-values')));
      for (const port of portsOf(golden)) expect(texts).toContain(port);

      await space.delete('Dataset', name);
      await space.gone(kind, name);
      await space.gone('Dataset', name);
      await eventually(async () => expect(await space.made()).toEqual([]));
    });
  });

  test("cache/full: the pods of Fluid's AdvancedStatefulSets stay, and StatefulSets have them", async () => {
    const [crd] = documents('crds', 'advancedstatefulsets.yaml');
    await plane.kubectlApply(JSON.stringify({ ...crd, apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }));
    await established(plane, 'crd/advancedstatefulsets.workload.fluid.io');
    const { space } = await asFluidLeftIt('cache/full', 'CacheRuntime', 'curvine-demo');
    const own = await space.get('CacheRuntime', 'curvine-demo');
    // Simulated pods have no Curvine to ask.
    const silent = [{ op: 'remove', path: '/topology/master/executionEntries' }];
    await plane.kubectl('patch', 'cacheruntimeclass', 'g-cache-full-class', '--type=json', '-p', JSON.stringify(silent));
    // As Fluid's controller of that kind creates them.
    const sets = (await space.kubectl('get', 'advancedstatefulsets', '-o', 'json').then(JSON.parse)) as { items: readonly KubeObject[] };
    const before: Record<string, string | undefined> = {};
    for (const { apiVersion, kind, metadata, spec } of sets.items)
      for (let i = 0; i < (spec as { replicas: number }).replicas; i++) {
        const { template } = spec as { template: KubeObject };
        const name = `${metadata.name}-${i}`;
        const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true, blockOwnerDeletion: true };
        const labels = { ...template.metadata.labels, 'statefulset.kubernetes.io/pod-name': name };
        // The part of the template that the scheduler reads: the nodes are simulated.
        const containers = [{ name: 'main', image: 'example.io/main:1' }];
        const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels, ownerReferences: [owner] }, spec: { containers } };
        await space.create(pod as KubeObject);
        before[name] = (await space.get('Pod', name)).metadata.uid;
      }
    expect(Object.keys(before)).toHaveLength(5);
    for (const name of Object.keys(before)) await space.becomes('Pod', name, { status: { phase: 'Running' } });

    const sluice = await startSluice(plane, { installed: true });
    try {
      await space.becomes('StatefulSet', 'curvine-demo-master', { status: { readyReplicas: 3 } });
      await space.becomes('StatefulSet', 'curvine-demo-worker', { status: { readyReplicas: 2 } });
      await space.bound('CacheRuntime', 'curvine-demo');
      await space.becomes('CacheRuntime', 'curvine-demo', {
        metadata: { uid: own.metadata.uid },
        status: { master: { phase: 'Ready', readyReplicas: 3 }, worker: { phase: 'Ready', readyReplicas: 2 } },
      });
      const pods = Object.fromEntries((await space.list('Pod')).map(({ metadata }) => [metadata.name, metadata]));
      expect(Object.fromEntries(Object.entries(pods).map(([name, { uid }]) => [name, uid]))).toEqual(before);
      for (const { labels } of Object.values(pods))
        expect(labels).toHaveProperty(['fluid.io/dataset-id'], `${space.namespace}-curvine-demo`);
      expect(pods['curvine-demo-worker-1']?.ownerReferences).toEqual([expect.objectContaining({ kind: 'StatefulSet' })]);
      expect(JSON.parse(await space.kubectl('get', 'advancedstatefulsets', '-o', 'json'))).toMatchObject({ items: [] });
      await space.delete('Dataset', 'curvine-demo');
      await space.gone('CacheRuntime', 'curvine-demo');
      await space.gone('Dataset', 'curvine-demo');
    } finally {
      await sluice.stop();
      await plane.kubectl('delete', 'namespace', space.namespace);
      await plane.kubectl('delete', 'cacheruntimeclass', 'g-cache-full-class');
      await plane.kubectl('delete', 'crd', 'advancedstatefulsets.workload.fluid.io');
    }
  });

  test('a migration with a schedule goes on: its CronJob, and the scripts that have no owner', async () => {
    const { space } = await asFluidLeftIt('operations/migrate-juicefs-cron', 'JuiceFSRuntime', 'demo');
    const cronJob = ['CronJob', 'op-migrate-migrate'] as const;
    const { uid } = (await space.get(...cronJob)).metadata;
    const operation = await space.get('DataMigrate', 'op');
    const sluice = await startSluice(plane, { installed: true });
    try {
      const mine = { metadata: { uid, labels: { 'data.fluid.io/owner-uid': operation.metadata.uid } } };
      await space.becomes(...cronJob, { ...mine, spec: { schedule: '*/1 * * * *', concurrencyPolicy: 'Forbid' } });
      expect(JSON.stringify((await space.get('ConfigMap', 'op-migrate-script')).metadata.managedFields)).not.toContain('ddc-helm');
      // From our template, and sooner than the schedule would.
      await space.kubectl('create', 'job', 'now', '--from=cronjob/op-migrate-migrate');
      await space.becomes('DataMigrate', 'op', { status: { phase: 'Executing' } });
      await space.becomes('Dataset', 'demo', { status: { phase: 'DataMigrating', operationRef: { DataMigrate: 'op' } } });
      await space.delete('Dataset', 'demo');
      await space.gone('Dataset', 'demo');
      // Before the controller stops, which lets it go.
      await space.gone('DataMigrate', 'op');
      await space.gone(...cronJob);
    } finally {
      await sluice.stop();
      await plane.kubectl('delete', 'namespace', space.namespace);
    }
  });

  test('an object that was being deleted when Fluid stopped is created again', async () => {
    const { space } = await asFluidLeftIt('thin/plain-min', 'ThinRuntime', 'demo');
    const held = ['DaemonSet', 'demo-fuse'] as const;
    // As another manager: Sluice takes over the fields of Fluid only.
    await space.kubectl('patch', 'daemonset', held[1], '-p', '{"metadata":{"finalizers":["example.io/held"]}}');
    await space.delete(...held);
    const { uid } = (await space.get(...held)).metadata;
    const owner = (await space.get('ThinRuntime', 'demo')).metadata.uid;

    const sluice = await startSluice(plane, { installed: true });
    try {
      await space.becomes(...held, { metadata: { uid, labels: { 'data.fluid.io/owner-uid': owner } } });
      await space.patch(...held, { metadata: { finalizers: null } });
      await eventually(async () => expect((await space.get(...held)).metadata.uid).not.toBe(uid));
      await space.delete('Dataset', 'demo');
      await space.gone('Dataset', 'demo');
    } finally {
      await space.patch(...held, { metadata: { finalizers: null } }).catch(() => {});
      await sluice.stop();
      await plane.kubectl('delete', 'namespace', space.namespace);
    }
  });

  const documents = (golden: string, file: string) =>
    parseAllDocuments(readFileSync(join(GOLDENS, golden, file), 'utf8')).flatMap(
      (document) => (document.toJS() as KubeObject | null) ?? [],
    );

  /** The objects of a golden, their status and their metadata, as if Fluid had just been stopped. */
  async function asFluidLeftIt(
    golden: string,
    kind: RuntimeKind,
    name: string,
    changed: (object: KubeObject) => KubeObject = (object) => object,
  ): Promise<{ space: Space; made: Made }> {
    const input = documents(golden, 'input.yaml');
    const namespace = input.find(({ metadata }) => metadata.namespace)?.metadata.namespace ?? '';
    const space = await createSpace(plane, client, namespace, true);
    for (const object of input) await plane.kubectlApply(JSON.stringify(object));
    const dataset = await space.get('Dataset', name);
    for (const { kind: each, metadata, status } of documents(golden, 'status.yaml')) {
      const owners = each === 'Dataset' ? {} : { ownerReferences: [{ ...metadata.ownerReferences?.[0], uid: dataset.metadata.uid }] };
      await space.patch(each as Kind, metadata.name, { metadata: { finalizers: metadata.finalizers, labels: metadata.labels, ...owners } });
      await space.patch(each as Kind, metadata.name, { status }, 'status');
    }
    const uids = new Map<string, string | undefined>();
    for (const each of input.filter(({ metadata }) => metadata.namespace))
      if (each.kind !== 'Secret')
        uids.set(`${each.kind}/${each.metadata.name}`, (await space.get(each.kind as Kind, each.metadata.name)).metadata.uid);
    const objects = documents(golden, 'objects.yaml').flatMap((object) => (object.kind === 'NodeLabels' ? [] : changed(object)));
    const order = (object: KubeObject) => (object.kind === 'PersistentVolumeClaim' ? 1 : 0);
    for (const object of objects.toSorted((a, b) => order(a) - order(b))) {
      if (order(object) === 1) await space.becomes('PersistentVolume', `${namespace}-${name}`, { status: { phase: 'Available' } });
      const text = JSON.stringify(object).replaceAll(/<uid:([^>]*)>/g, (_, ref: string) => uids.get(ref) ?? '');
      if (object.kind in kinds) await space.create(unbound(JSON.parse(text) as KubeObject));
      else await plane.kubectlApply(text);
    }
    await space.becomes('PersistentVolume', `${namespace}-${name}`, { status: { phase: 'Bound' } });
    await space.patch('PersistentVolumeClaim', name, { metadata: { annotations: { touched: 'yes' } } });
    await space.becomes('PersistentVolumeClaim', name, { status: { phase: 'Bound' } });
    for (const { kind: each, metadata, spec } of objects)
      if (each === 'StatefulSet')
        await space.becomes('StatefulSet', metadata.name, { status: { readyReplicas: (spec as { replicas: number }).replicas } });
    return { space, made: objects.map((object) => [object.kind as Kind, object.metadata.name]) };
  }

  /** As it was before the volume controller bound it. */
  function unbound({ metadata, ...rest }: KubeObject): KubeObject {
    const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => !key.startsWith('pv.kubernetes.io/'));
    const { spec } = rest as { spec?: { claimRef?: { namespace: string; name: string } } };
    const { namespace = '', name = '' } = spec?.claimRef ?? {};
    const { finalizers: _, ...kept } = metadata;
    return {
      ...rest,
      metadata: { ...kept, annotations: Object.fromEntries(annotations) },
      ...(spec?.claimRef && { spec: { ...spec, claimRef: { namespace, name } } }),
    } as KubeObject;
  }

  const pods = async (space: Space) => (await space.list('Pod')).map(({ metadata }) => ['Pod', metadata.name] as const);
  const readySince = async (space: Space, name: string) =>
    (
      (await space.get('Dataset', name))['status'] as { conditions: readonly { type: string; lastTransitionTime: string }[] }
    ).conditions.find(({ type }) => type === 'Ready')?.lastTransitionTime;
  /** Host ports in the scripts and options of Fluid. */
  const portsOf = (golden: string) => new Set(readFileSync(join(GOLDENS, golden, 'objects.yaml'), 'utf8').match(HOST_PORTS));
  const HOST_PORTS = /metrics=0\.0\.0\.0:\d+|rpc\.port = \d+|server_port=\d+|listen-client-urls=[\w:/.]+|-worker-0\.[\w.-]+:\d+/g;
});
