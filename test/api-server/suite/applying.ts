import { beforeEach, expect, test } from 'vitest';
import type { KubeClient } from '../../../src/kube/contract.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { kinds } from '../../support/kinds.ts';
import type { Subject } from '../suite.ts';
import { configMap, daemonSet, dataset, refusal, refused, statefulSet } from './objects.ts';

const { ConfigMap, Dataset, DaemonSet, Service, ServiceAccount, StatefulSet } = kinds;

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly fieldsV1: Readonly<Record<string, unknown>>;
}
const entries = ({ metadata }: KubeObject) => (metadata.managedFields ?? []) as readonly Entry[];

export function applying(subject: () => Subject): void {
  let ours: KubeClient;
  let theirs: KubeClient;
  let namespace: string;
  beforeEach(async () => {
    ours = subject().client('ours');
    theirs = subject().client('theirs');
    namespace = await subject().namespace();
  });
  const at = (name: string) => ({ namespace, name });
  const container = (object: KubeObject) =>
    (object['spec'] as { template: { spec: { containers: readonly Record<string, unknown>[] } } }).template.spec.containers;

  test('creates what does not exist, and owns what it sets', async () => {
    const made = await ours.apply(ConfigMap, configMap(namespace, 'a', { x: '1' }, { labels: { l: 'm' } }));
    expect(made['data']).toEqual({ x: '1' });
    expect(entries(made)).toMatchObject([
      { manager: 'ours', operation: 'Apply', fieldsV1: { 'f:data': { 'f:x': {} }, 'f:metadata': { 'f:labels': { 'f:l': {} } } } },
    ]);
  });
  test('the same again is no new version', async () => {
    const made = await ours.apply(ConfigMap, configMap(namespace, 'a', { x: '1' }));
    const again = await ours.apply(ConfigMap, configMap(namespace, 'a', { x: '1' }));
    expect(again.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
  });
  test('the same again is no new version either once others have written more', async () => {
    await ours.apply(Dataset, dataset(namespace, 'a'));
    await theirs.patch(Dataset, at('a'), { status: { phase: 'Bound', conditions: [] } }, { type: 'merge', subresource: 'status' });
    const made = await theirs.apply(Dataset, { ...dataset(namespace, 'a'), spec: {} });
    const again = await ours.apply(Dataset, dataset(namespace, 'a'));
    expect(again.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
  });
  test('removes what it does not send any more, and leaves what others own', async () => {
    await ours.apply(ConfigMap, configMap(namespace, 'a', { x: '1', y: '2' }, { labels: { l: 'm' } }));
    await theirs.patch(ConfigMap, at('a'), { data: { z: '3' } }, { type: 'merge' });
    const applied = await ours.apply(ConfigMap, configMap(namespace, 'a', { x: '1' }));
    expect(applied['data']).toEqual({ x: '1', z: '3' });
    expect(applied.metadata).not.toHaveProperty('labels');
  });
  test('leaves what another applies too', async () => {
    await ours.apply(ConfigMap, configMap(namespace, 'a', { x: '1', y: '2' }));
    await theirs.apply(ConfigMap, configMap(namespace, 'a', { x: '1' }));
    expect((await ours.apply(ConfigMap, configMap(namespace, 'a', { y: '2' })))['data']).toEqual({ x: '1', y: '2' });
    expect((await theirs.apply(ConfigMap, configMap(namespace, 'a', {})))['data']).toEqual({ y: '2' });
  });
  test('does not remove what it created by other means', async () => {
    await ours.create(ConfigMap, configMap(namespace, 'a', { x: '1', y: '2' }));
    expect((await ours.apply(ConfigMap, configMap(namespace, 'a', { x: '1' })))['data']).toEqual({ x: '1', y: '2' });
  });
  test('does so once the entry was renamed, as kubectl does it', async () => {
    const made = await ours.create(ConfigMap, configMap(namespace, 'a', { x: '1', y: '2' }));
    const patch = [
      { op: 'test', path: '/metadata/resourceVersion', value: made.metadata.resourceVersion },
      { op: 'replace', path: '/metadata/managedFields', value: entries(made).map((entry) => ({ ...entry, operation: 'Apply' })) },
    ];
    const renamed = await ours.patch(ConfigMap, at('a'), patch, { type: 'json' });
    expect(entries(renamed)).toMatchObject([{ manager: 'ours', operation: 'Apply' }]);
    const applied = await ours.apply(ConfigMap, configMap(namespace, 'a', { x: '1' }));
    expect(applied['data']).toEqual({ x: '1' });
    expect(entries(applied)).toHaveLength(1);
  });
  test('another’s field is a conflict', async () => {
    await theirs.apply(ConfigMap, configMap(namespace, 'a', { x: 'theirs' }));
    const error = await refusal(ours.apply(ConfigMap, configMap(namespace, 'a', { x: 'ours' })));
    expect(error).toMatchObject(refused(409, 'Conflict', /Apply failed with 1 conflict: conflict with "theirs".*: \.data\.x/));
    expect(error.body?.details?.causes).toMatchObject([{ reason: 'FieldManagerConflict', field: '.data.x' }]);
  });
  test('a field that another has written by a patch is a conflict too', async () => {
    await ours.apply(ConfigMap, configMap(namespace, 'a', { x: 'ours' }));
    await theirs.patch(ConfigMap, at('a'), { data: { x: 'theirs' } }, { type: 'merge' });
    expect(await refusal(ours.apply(ConfigMap, configMap(namespace, 'a', { x: 'ours' })))).toMatchObject(
      refused(409, 'Conflict', /conflict with "theirs"/),
    );
  });
  test('to empty what another has not filled is one too', async () => {
    await theirs.apply(ConfigMap, configMap(namespace, 'a'));
    expect(await refusal(ours.apply(ConfigMap, configMap(namespace, 'a')))).toMatchObject(refused(409, 'Conflict', /\.data$/));
  });
  test('by force it becomes ours alone', async () => {
    await theirs.apply(ConfigMap, configMap(namespace, 'a', { x: 'theirs', y: 'theirs' }));
    const taken = await ours.apply(ConfigMap, configMap(namespace, 'a', { x: 'ours' }), { force: true });
    expect(taken['data']).toEqual({ x: 'ours', y: 'theirs' });
    expect(entries(taken).find(({ manager }) => manager === 'theirs')?.fieldsV1).toEqual({ 'f:data': { 'f:y': {} } });
  });
  test('a value that is the same already is shared', async () => {
    await theirs.apply(ConfigMap, configMap(namespace, 'a', { x: '1' }));
    const shared = await ours.apply(ConfigMap, configMap(namespace, 'a', { x: '1' }));
    expect(
      entries(shared)
        .map(({ manager }) => manager)
        .toSorted(),
    ).toEqual(['ours', 'theirs']);
  });
  test('a manager that changes a field by a patch is its only owner', async () => {
    await ours.apply(ConfigMap, configMap(namespace, 'a', { x: '1', y: '2' }));
    const patched = await theirs.patch(ConfigMap, at('a'), { data: { x: '9' } }, { type: 'merge' });
    expect(entries(patched)).toMatchObject([
      { manager: 'ours', fieldsV1: { 'f:data': { 'f:y': {} } } },
      { manager: 'theirs', operation: 'Update', fieldsV1: { 'f:data': { 'f:x': {} } } },
    ]);
  });
  test('a field that was removed has no owner', async () => {
    await ours.apply(ConfigMap, configMap(namespace, 'a', { x: '1', y: '2' }));
    const patched = await theirs.patch(ConfigMap, at('a'), { data: { x: null } }, { type: 'merge' });
    expect(entries(patched).find(({ manager }) => manager === 'ours')?.fieldsV1).toEqual({ 'f:data': { 'f:y': {} } });
    expect(await ours.apply(ConfigMap, configMap(namespace, 'a', { x: '1', y: '2' }))).toMatchObject({ data: { x: '1', y: '2' } });
  });
  test('asks for the object that it names', async () => {
    const { uid } = (await ours.apply(ConfigMap, configMap(namespace, 'a'))).metadata;
    const other = '00000000-0000-4000-8000-000000000000';
    expect((await ours.apply(ConfigMap, configMap(namespace, 'a', { x: '1' }, { uid }))).metadata.uid).toBe(uid);
    expect(await refusal(ours.apply(ConfigMap, configMap(namespace, 'a', {}, { uid: other })))).toMatchObject(
      refused(422, 'Invalid', /metadata\.uid/),
    );
    expect(await refusal(ours.apply(ConfigMap, configMap(namespace, 'none', {}, { uid: other })))).toMatchObject(refused(409, 'Conflict'));
  });
  test('needs no managedFields in what is sent', async () => {
    const made = await ours.apply(ConfigMap, configMap(namespace, 'a'));
    expect(
      await refusal(ours.apply(ConfigMap, configMap(namespace, 'a', {}, { managedFields: made.metadata.managedFields }))),
    ).toMatchObject(refused(400, 'BadRequest', /metadata\.managedFields must be nil/));
  });
  test('a field without an owner belongs to before-first-apply after the first apply', async () => {
    await theirs.create(ConfigMap, configMap(namespace, 'a', { x: '1' }));
    await theirs.patch(ConfigMap, at('a'), { metadata: { managedFields: [{}] } }, { type: 'merge' });
    expect((await theirs.get(ConfigMap, at('a'))).metadata).not.toHaveProperty('managedFields');
    const error = await refusal(ours.apply(ConfigMap, configMap(namespace, 'a', { x: '2' })));
    expect(error).toMatchObject(refused(409, 'Conflict', /conflict with "before-first-apply"/));
  });

  test('containers, variables, ports, volumes and mounts are each one’s own', async () => {
    const apply = (client: KubeClient, name: string, variable: string, port: number) =>
      client.apply(
        StatefulSet,
        statefulSet(
          namespace,
          'a',
          {},
          {
            terminationGracePeriodSeconds: undefined,
            containers: [
              {
                name: 'main',
                image: 'example.io/main:1',
                env: [{ name: variable, value: '1' }],
                ports: [{ containerPort: port }],
                volumeMounts: [{ name, mountPath: `/${name}` }],
              },
              { name, image: 'example.io/other:1' },
            ],
            volumes: [{ name, emptyDir: {} }],
          },
        ),
      );
    await apply(ours, 'ours', 'A', 80);
    await apply(theirs, 'theirs', 'B', 81);
    const again = await apply(ours, 'mine', 'C', 82);
    const [main] = container(again);
    expect((main!['env'] as { name: string }[]).map(({ name }) => name).toSorted()).toEqual(['B', 'C']);
    expect((main!['ports'] as { containerPort: number }[]).map(({ containerPort }) => containerPort).toSorted()).toEqual([81, 82]);
    expect((main!['volumeMounts'] as { mountPath: string }[]).map(({ mountPath }) => mountPath).toSorted()).toEqual(['/mine', '/theirs']);
    expect(
      container(again)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['main', 'mine', 'theirs']);
    const { volumes } = (again['spec'] as { template: { spec: { volumes: readonly { name: string }[] } } }).template.spec;
    expect(volumes.map(({ name }) => name).toSorted()).toEqual(['mine', 'theirs']);
  });
  test('arguments, tolerations and selectors of nodes are one value each', async () => {
    const apply = (client: KubeClient, pod: object, container: object) =>
      client.apply(
        DaemonSet,
        daemonSet(namespace, 'a', { ...pod, containers: [{ name: 'main', image: 'example.io/main:1', ...container }] }),
        { force: true },
      );
    await apply(
      theirs,
      { nodeSelector: { nowhere: 'yes', theirs: 'yes' }, tolerations: [{ key: 'theirs', operator: 'Exists' }] },
      { args: ['a', 'b'] },
    );
    const applied = await apply(
      ours,
      { nodeSelector: { nowhere: 'yes' }, tolerations: [{ key: 'ours', operator: 'Exists' }] },
      { args: ['c'] },
    );
    const pod = (applied['spec'] as { template: { spec: { nodeSelector: object; tolerations: readonly { key: string }[] } } }).template
      .spec;
    expect(pod.nodeSelector).toEqual({ nowhere: 'yes' });
    expect(pod.tolerations.map(({ key }) => key)).toEqual(['ours']);
    expect(container(applied)[0]).toMatchObject({ args: ['c'] });
  });
  test('a variable is removed, and its container stays', async () => {
    const apply = (env: readonly object[]) =>
      ours.apply(StatefulSet, statefulSet(namespace, 'a', {}, { containers: [{ name: 'main', image: 'example.io/main:1', env }] }));
    await apply([
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ]);
    expect(container(await apply([{ name: 'B', value: '2' }]))[0]!['env']).toEqual([{ name: 'B', value: '2' }]);
    expect(container(await ours.apply(StatefulSet, statefulSet(namespace, 'a', {}, {})))[0]).not.toHaveProperty('env');
  });
  test('ports of a Service are distinguished by number', async () => {
    const apply = (client: KubeClient, name: string, port: number) =>
      client.apply(Service, {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { namespace, name: 'a' },
        spec: { clusterIP: 'None', selector: { app: 'a' }, ports: [{ name, port }] },
      });
    await apply(ours, 'one', 80);
    await apply(theirs, 'two', 81);
    const applied = await apply(ours, 'three', 82);
    const { ports } = applied['spec'] as { ports: readonly { port: number }[] };
    expect(ports.map(({ port }) => port).toSorted()).toEqual([81, 82]);
  });
  test('secrets of a ServiceAccount are distinguished by name', async () => {
    const apply = (client: KubeClient, name: string) =>
      client.apply(ServiceAccount, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: 'a' }, secrets: [{ name }] });
    await apply(ours, 'one');
    await apply(theirs, 'two');
    const { secrets } = await apply(ours, 'three');
    expect((secrets as readonly { name: string }[]).map(({ name }) => name).toSorted()).toEqual(['three', 'two']);
  });
  test('owners are distinguished by UID, finalizers by their text', async () => {
    const owner = await ours.create(Dataset, dataset(namespace, 'owner'));
    const ref = { apiVersion: owner.apiVersion, kind: 'Dataset', name: 'owner', uid: owner.metadata.uid };
    await theirs.apply(ConfigMap, configMap(namespace, 'a', { x: '1' }, { ownerReferences: [ref], finalizers: ['example.io/theirs'] }));
    const applied = await ours.apply(ConfigMap, configMap(namespace, 'a', { y: '2' }, { finalizers: ['example.io/ours'] }));
    expect(applied.metadata.finalizers?.toSorted()).toEqual(['example.io/ours', 'example.io/theirs']);
    expect(applied.metadata.ownerReferences).toMatchObject([{ name: 'owner' }]);
    await ours.patch(ConfigMap, at('a'), { metadata: { finalizers: null } }, { type: 'merge' });
  });
  test('of the spec leaves the status to who writes it', async () => {
    await ours.apply(Dataset, dataset(namespace, 'a'));
    await theirs.patch(Dataset, at('a'), { status: { phase: 'Bound', conditions: [] } }, { type: 'merge', subresource: 'status' });
    const applied = await ours.apply(Dataset, {
      ...dataset(namespace, 'a', { placement: 'Shared' }),
      status: { phase: 'Failed', conditions: [] },
    });
    expect(applied).toMatchObject({ spec: { placement: 'Shared' }, status: { phase: 'Bound' }, metadata: { generation: 2 } });
  });
}
