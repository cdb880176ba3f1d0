import { beforeEach, expect, test } from 'vitest';
import type { KubeClient } from '../../../src/kube/contract.ts';
import { type KubeObject, resourceType } from '../../../src/kube/types.ts';
import { kinds } from '../../support/kinds.ts';
import type { Subject } from '../suite.ts';
import { configMap, refusal, refused, statefulSet } from './objects.ts';

const { ConfigMap, Namespace, Pod, Service, StatefulSet } = kinds;
const Job = resourceType('batch', 'Job', 'jobs');

/**
 * The server's additions to objects of Kubernetes' own kinds. All objects that Sluice renders are compared in
 * test/cluster/completed.test.ts.
 */
export function completing(subject: () => Subject): void {
  let client: KubeClient;
  let namespace: string;
  beforeEach(async () => {
    client = subject().client('writer');
    namespace = await subject().namespace();
  });
  const at = (name: string) => ({ namespace, name });
  const service = (name: string, spec: object = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { ports: [{ port: 80 }], selector: { app: name }, ...spec },
  });
  const job = (spec: object = {}): KubeObject => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'a', namespace },
    spec: {
      ...spec,
      template: {
        metadata: { labels: { app: 'a' } },
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.io/main' }] },
      },
    },
  });

  test('an absent field has a default, also after an edit', async () => {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { partition: 0 } };
    const { podManagementPolicy: _, ...spec } = statefulSet(namespace, 'a')['spec'] as Record<string, unknown>;
    const made = await client.create(StatefulSet, { ...statefulSet(namespace, 'a'), spec });
    expect(made['spec']).toMatchObject({ updateStrategy: strategy, podManagementPolicy: 'OrderedReady', revisionHistoryLimit: 10 });
    expect(made).toHaveProperty('spec.template.spec.containers.0.imagePullPolicy', 'IfNotPresent');
    const removed = { spec: { updateStrategy: null, revisionHistoryLimit: null } };
    const patched = await client.patch(StatefulSet, at('a'), removed, { type: 'merge' });
    expect(patched.metadata['generation']).toBe(1);
  });
  test('a default is owned by who creates an object, and not by who applies it', async () => {
    const created = await client.create(StatefulSet, statefulSet(namespace, 'a'));
    expect(JSON.stringify(created.metadata.managedFields)).toContain('f:revisionHistoryLimit');
    const applied = await client.apply(StatefulSet, statefulSet(namespace, 'b'));
    expect(applied).toHaveProperty('spec.revisionHistoryLimit', 10);
    expect(JSON.stringify(applied.metadata.managedFields)).not.toContain('f:revisionHistoryLimit');
    const again = await client.apply(StatefulSet, statefulSet(namespace, 'b'));
    expect(again.metadata['generation']).toBe(1);
  });
  test('a Service has an address, which it keeps', async () => {
    const made = await client.create(Service, service('a'));
    const { clusterIP } = made['spec'] as { readonly clusterIP?: string };
    expect(made['spec']).toMatchObject({
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      clusterIP: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/) as string,
      clusterIPs: [clusterIP],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }],
    });
    expect(JSON.stringify(made.metadata.managedFields)).not.toContain('f:clusterIP');
    const replaced = await client.update(Service, { ...service('a', { ports: [{ port: 81 }] }), metadata: made.metadata });
    expect(replaced['spec']).toMatchObject({ clusterIP, ports: [{ port: 81, targetPort: 81 }] });
    const headless = await client.create(Service, service('b', { clusterIP: 'None' }));
    expect(headless['spec']).toMatchObject({ clusterIP: 'None', clusterIPs: ['None'] });
  });
  test('a Job selects its pods by its UID, and they have its name', async () => {
    const made = await client.create(Job, job());
    const own = {
      'batch.kubernetes.io/controller-uid': made.metadata.uid,
      'batch.kubernetes.io/job-name': 'a',
      'controller-uid': made.metadata.uid,
      'job-name': 'a',
    };
    expect(made).toMatchObject({
      metadata: { labels: { app: 'a' } },
      spec: {
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': made.metadata.uid } },
        template: { metadata: { labels: { app: 'a', ...own } }, spec: { containers: [{ imagePullPolicy: 'Always' }] } },
        completions: 1,
        parallelism: 1,
        backoffLimit: 6,
        suspend: false,
      },
    });
    expect(JSON.stringify(made.metadata.managedFields)).not.toContain('f:selector');
    await subject().eventually(async () => {
      const { items } = await client.list(Pod, { namespace, labelSelector: 'job-name=a' });
      expect(items[0]?.metadata.labels).toMatchObject({ app: 'a', ...own });
      expect(await client.get(Job, at('a'))).toHaveProperty('status.startTime');
    });
  });
  test('a Job without labels has those that its pods get, and stays as it is when it is applied again', async () => {
    const { template: _, ...spec } = job()['spec'] as { readonly template: object };
    const bare = {
      ...job(),
      spec: { ...spec, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'i' }] } } },
    };
    const made = await client.apply(Job, bare);
    expect(made.metadata.labels).toMatchObject({ 'job-name': 'a', 'batch.kubernetes.io/controller-uid': made.metadata.uid });
    const again = await client.apply(Job, bare);
    expect(again.metadata.labels).toEqual(made.metadata.labels);
    expect(again['spec']).toEqual(made['spec']);
  });
  test('a Job that is suspended has not started', async () => {
    await client.create(Job, job({ suspend: true }));
    await subject().eventually(async () =>
      expect(await client.get(Job, at('a'))).toMatchObject({ status: { conditions: [{ type: 'Suspended', status: 'True' }] } }),
    );
    expect(await client.get(Job, at('a'))).not.toHaveProperty('status.startTime');
    await client.patch(Job, at('a'), { spec: { suspend: false } }, { type: 'merge' });
    await subject().eventually(async () => expect(await client.get(Job, at('a'))).toHaveProperty('status.startTime'));
  });
  test.each(['a.b', 'A', '-a', 'a'.repeat(64)])('%s names no namespace', async (name) => {
    const made = client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    expect(await refusal(made)).toMatchObject(refused(422, 'Invalid', /metadata\.name: Invalid value: /));
  });
  test('a Service is named by a label, a ConfigMap by a subdomain; labels are checked', async () => {
    expect(await refusal(client.create(Service, service('a_b')))).toMatchObject(
      // Since Kubernetes 1.37 a digit may come first.
      refused(422, 'Invalid', /a (DNS-1035|lowercase RFC 1123) label must consist of/),
    );
    expect(await refusal(client.create(ConfigMap, configMap(namespace, 'a_b')))).toMatchObject(
      refused(422, 'Invalid', /a lowercase RFC 1123 subdomain must consist of/),
    );
    await client.create(ConfigMap, configMap(namespace, '1.a'));
    const labelled = client.patch(ConfigMap, at('1.a'), { metadata: { labels: { app: 'a b' } } }, { type: 'merge' });
    expect(await refusal(labelled)).toMatchObject(refused(422, 'Invalid', /metadata\.labels: Invalid value: "a b": a valid label/));
  });
}
