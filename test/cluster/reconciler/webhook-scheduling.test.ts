/** The webhook's knowledge of a real API server, and the real scheduler's choice of nodes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runtimes } from '../../../runtimes/_all.gen.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { silent } from '../../../src/kube/types.ts';
import { type AdmissionContext, mutate } from '../../../src/webhook/mutate.ts';
import type { Pod } from '../../../src/webhook/pod.ts';
import type { Knowledge } from '../../../src/webhook/knowledge.ts';
import { startWatches } from '../../../src/webhook/watches/watches.ts';
import { jfsDataset, jfsRuntime, jfsSecret, reader } from '../../support/objects.ts';
import { eventually, type Sluice, type Space, startSluice } from '../../support/sluice.ts';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';

type Texts = Readonly<Record<string, string>>;

describe.skipIf(!simulated)('a pod that asks for hints', () => {
  const plane = sharedControlPlane;
  let sluice: Sluice;
  let space: Space;
  let watches: Knowledge;
  let profileFault: string | undefined;
  let nodes: readonly string[];

  beforeAll(async () => {
    sluice = await startSluice(plane());
    space = await sluice.space('hints');
    nodes = ['a', 'b', 'c'].map((name) => `${space.namespace}-${name}`);
    for (const name of nodes) await plane().nodes.add(name, { pool: space.namespace, place: name });
    const [, cached = ''] = nodes;
    await space.create(jfsSecret(), jfsDataset('demo'), jfsRuntime('demo', { worker: { nodeSelector: { place: cached } } }));
    await space.bound('JuiceFSRuntime', 'demo');
    await eventually(async () =>
      expect((await space.get('Node', cached)).metadata.labels).toHaveProperty(`fluid.io/s-${space.namespace}-demo`),
    );
    watches = startWatches({
      client: sluice.client,
      runtimes: runtimes.map(({ resource }) => resource),
      namespace: space.namespace,
      onProfileFault: (fault) => void (profileFault = fault),
      log: silent,
    });
    await eventually(() => expect(watches.notReady()).toBeUndefined());
  });
  afterAll(async () => {
    watches?.stop();
    await sluice?.stop();
    for (const name of nodes ?? []) await plane().nodes.remove(name);
  });

  /** As a request for admission would have it, on the three nodes. */
  const wanted = (name: string, claim: string | undefined, { labels, selector }: { labels?: Texts; selector?: Texts } = {}): KubeObject => {
    const pod = reader(name, claim ?? '');
    const { volumes, ...spec } = pod['spec'] as { volumes?: object[]; containers: { volumeMounts?: object[] }[] };
    const bare = { ...spec, containers: spec.containers.map((container) => ({ ...container, volumeMounts: [] })) };
    return {
      ...pod,
      metadata: { ...pod.metadata, namespace: space.namespace, labels: { 'fuse.serverful.fluid.io/inject': 'true', ...labels } },
      spec: { ...(claim === undefined ? bare : { ...spec, volumes }), nodeSelector: { pool: space.namespace, ...selector } },
    };
  };
  const settings: AdmissionContext['settings'] = { disabled: false, nativeSidecars: true, prefetcher: { image: 'sluice', isOurs: true } };
  const create = (pod: KubeObject) => {
    // The casts: a pod is both.
    const request = { pod: pod as unknown as Pod, namespace: space.namespace };
    return space.create(
      mutate(request, {
        known: watches.known,
        profile: watches.profile(),
        settings,
        random: () => '0',
        warn() {},
      }) as unknown as KubeObject,
    );
  };
  const nodeOf = (name: string) =>
    eventually(async () => {
      const { nodeName } = (await space.get('Pod', name))['spec'] as { nodeName?: string };
      expect(nodeName).toBeDefined();
      return nodeName;
    });

  test('runs on the one node of three that holds the cache', async () => {
    const names = ['one', 'two', 'three', 'four'];
    for (const name of names) await create(wanted(name, 'demo'));
    for (const name of names) expect(await nodeOf(name)).toBe(nodes[1]);
  });
  test('runs elsewhere if it mounts no Dataset', async () => {
    for (const name of ['stranger', 'other']) {
      await create(wanted(name, undefined));
      expect(await nodeOf(name)).not.toBe(nodes[1]);
    }
  });
  test('runs away from the cache only if it does not require the cache', async () => {
    const elsewhere = { place: nodes[0] ?? '' };
    await create(wanted('easy', 'demo', { selector: elsewhere }));
    await create(wanted('strict', 'demo', { selector: elsewhere, labels: { 'fluid.io/dataset.demo.sched': 'required' } }));
    expect(await nodeOf('easy')).toBe(nodes[0]);
    const reason = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' };
    await space.becomes('Pod', 'strict', { status: { conditions: expect.arrayContaining([expect.objectContaining(reason)]) } });
  });
  test('is served by the newest profile', async () => {
    const profile = (pluginsProfile: string): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'webhook-plugins', namespace: space.namespace },
      data: { pluginsProfile },
    });
    await space.create(
      profile('plugins: { serverful: { withDataset: [DatasetUsageInjector] }, serverless: { withDataset: [FuseSidecar] } }'),
    );
    await eventually(() => expect(watches.profile().serverful.withDataset).toHaveLength(1));
    await space.patch('ConfigMap', 'webhook-plugins', { data: { pluginsProfile: 'plugins: { serverful: { withDataset: [X] } }' } });
    await eventually(() => expect(profileFault).toContain('found "X"'));
    expect(watches.profile().serverful.withDataset).toHaveLength(1);
  });
});
