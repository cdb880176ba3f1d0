/** A Job or CronJob of an operation is in the API server's form, for all texts of users: an applier would find nothing to write. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { basePlan, defineRuntime, type LoadSpec } from '../../../src/constructs/index.ts';
import { createClient, type KubeClient } from '../../../src/kube/client/kube-client.ts';
import { connectionFromKubeconfig } from '../../../src/kube/kubeconfig/kubeconfig.ts';
import type { KubeObject, ResourceType } from '../../../src/kube/types.ts';
import { differences } from '../../../src/planning/diff/compare.ts';
import { ownedKinds } from '../../../src/planning/kinds.ts';
import { refusedPods } from '../../../src/reconciler/kubernetes/observe/refused-pods.ts';
import { planInput } from '../../../src/testing/index.ts';
import { ExampleRuntime } from '../../support/example-runtime/spec.ts';
import { ExampleLoad, type LoadPlan } from '../../support/load.ts';
import { eventually } from '../../support/sluice.ts';
import { freshNamespace, sharedCluster } from '../../support/test-cluster.ts';

const batch = { group: 'batch', version: 'v1', namespaced: true };
const KINDS: Readonly<Record<string, ResourceType>> = {
  ConfigMap: ownedKinds.ConfigMap,
  Job: { ...batch, plural: 'jobs', kind: 'Job' },
  CronJob: { ...batch, plural: 'cronjobs', kind: 'CronJob' },
};

let client: KubeClient;
beforeAll(async () => {
  client = createClient(connectionFromKubeconfig([(await sharedCluster()).kubeconfig]), { fieldManager: 'sluice' });
});
afterAll(() => client.close());

const runtime = defineRuntime({
  type: 'example',
  resource: ExampleRuntime,
  plan: (input): LoadPlan => ({ ...basePlan(input, { mountType: 'fuse.x', mountDir: 'x' }), image: 'example.io/load:v1' }),
  components: {},
  operations: { DataLoad: ExampleLoad },
});
const rough: LoadSpec = {
  target: [{ path: `/a b/$(id)'"`, replicas: 2 }],
  podMetadata: { labels: { mine: 'yes' }, annotations: { mine: '' } },
  resources: { limits: { cpu: '1000m', memory: '1024Mi' }, requests: {} },
  tolerations: [{ key: 'k', operator: 'Exists' }],
  nodeSelector: { 'example.io/no-such': 'node' },
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  schedulerName: '',
};

test.each<[string, LoadSpec]>([
  ['plain', { nodeSelector: { 'example.io/no-such': 'node' } }],
  ['rough', rough],
  ['cron', { ...rough, policy: 'Cron', schedule: '0 0 1 1 *' }],
])('%s', async (name, spec) => {
  const namespace = await freshNamespace(await sharedCluster(), 'operations');
  const load = runtime.bind(planInput({ namespace })).operations.DataLoad;
  // Without an owner, so that the garbage collector does not delete it.
  const made = load?.({ kind: 'DataLoad', name, namespace, uid: 'u', spec, facts: { pods: {} } }) ?? [];
  expect(made).toHaveLength(2);
  for (const { metadata, ...rest } of made) {
    const { ownerReferences: _, ...own } = metadata;
    const sent = { ...rest, metadata: { ...own, namespace } } as KubeObject;
    const type = KINDS[sent.kind] as ResourceType;
    expect(differences(sent, await client.create(type, sent, { fieldValidation: 'Strict' }))).toEqual([]);
    expect(differences(sent, await client.apply(type, sent, { force: true, fieldValidation: 'Strict' }))).toEqual([]);
  }
});

test.each([
  ['a quota', /exceeded quota: none/, {}],
  ['Pod Security', /violates PodSecurity "restricted/, { 'pod-security.kubernetes.io/enforce': 'restricted' }],
])('a Job whose pods %s refuses: Kubernetes says so in its events', async (what, words, labels) => {
  const namespace = await freshNamespace(await sharedCluster(), 'operations');
  await client.patch(
    { ...batch, group: '', plural: 'namespaces', kind: 'Namespace', namespaced: false },
    { name: namespace },
    { metadata: { labels } },
    { type: 'merge' },
  );
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none', namespace }, spec: { hard: { pods: '0' } } };
  if (what === 'a quota')
    await client.create({ ...batch, group: '', plural: 'resourcequotas', kind: 'ResourceQuota' }, quota as KubeObject);
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'example.io/load:v1' }] } };
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'job', namespace }, spec: { template } };
  const { uid = '' } = (await client.create(ownedKinds.Job, job as KubeObject)).metadata;
  await eventually(async () => expect(await refusedPods(client, { namespace, uid })).toMatch(words));
  expect(await refusedPods(client, { namespace, uid: 'another' })).toBeUndefined();
  expect((await client.get(ownedKinds.Job, { namespace, name: 'job' }))['status']).not.toMatchObject({
    active: expect.toSatisfy((n) => n > 0),
  });
});
