import { beforeEach, describe, expect, test } from 'vitest';
import type { KubeClient } from '../../../src/kube/contract.ts';
import { isConflict, isInvalid } from '../../../src/kube/errors.ts';
import { type KubeObject, resourceType } from '../../../src/kube/types.ts';
import { kinds } from '../../support/kinds.ts';
import type { Subject } from '../suite.ts';
import { claim, configMap, daemonSet, dataset, refusal, refused, statefulSet, unique, volume } from './objects.ts';

const { ConfigMap, Dataset, Secret, StatefulSet, DaemonSet, PersistentVolume, PersistentVolumeClaim, RoleBinding } = kinds;

const CronJob = resourceType('batch', 'CronJob', 'cronjobs');
const Deployment = resourceType('apps', 'Deployment', 'deployments');
/** Schedules that are refused, and why. */
const SCHEDULES: readonly (readonly [string, string])[] = [
  ['61 3 * * *', 'end of range (61) above maximum (59): 61'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['*/-2 * * * *', 'negative number (-2) not allowed: -2'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
  ['* * * * dog', 'failed to parse int from dog: strconv.Atoi: parsing "dog": invalid syntax'],
  ['0 3 * *', 'expected exactly 5 fields, found 4: [0 3 * *]'],
  ['@fortnightly', 'unrecognized descriptor: @fortnightly'],
  ['@every week', 'failed to parse duration @every week: time: invalid duration "week"'],
  ['TZ=UTC 0 3 * * *', 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'],
];

const OTHER = '00000000-0000-4000-8000-000000000000';

export function writing(subject: () => Subject): void {
  let client: KubeClient;
  let namespace: string;
  beforeEach(async () => {
    client = subject().client('writer');
    namespace = await subject().namespace();
  });
  const at = (name: string) => ({ namespace, name });

  describe('creation', () => {
    test('fills in what only the server knows', async () => {
      const made = await client.create(Dataset, dataset(namespace, 'a'));
      expect(made.metadata).toMatchObject({
        uid: expect.stringMatching(/^[-0-9a-f]{36}$/) as string,
        creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
        resourceVersion: expect.stringMatching(/^\d+$/) as string,
        generation: 1,
        managedFields: [{ manager: 'writer', operation: 'Update', apiVersion: 'data.fluid.io/v1alpha1' }],
      });
      expect((await client.create(ConfigMap, configMap(namespace, 'a'))).metadata).not.toHaveProperty('generation');
    });
    test('of what exists is refused', async () => {
      await client.create(ConfigMap, configMap(namespace, 'a'));
      expect(await refusal(client.create(ConfigMap, configMap(namespace, 'a')))).toMatchObject(
        refused(409, 'AlreadyExists', /configmaps "a" already exists/),
      );
    });
    test('makes a name where only its beginning is given', async () => {
      const nameless = { ...configMap(namespace, 'x'), metadata: { namespace, generateName: 'made-' } } as unknown as KubeObject;
      const [one, two] = [await client.create(ConfigMap, nameless), await client.create(ConfigMap, nameless)];
      expect(one.metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
      expect(two.metadata.name).not.toBe(one.metadata.name);
    });
    test('needs a name', async () => {
      const nameless = { ...configMap(namespace, 'x'), metadata: { namespace } } as unknown as KubeObject;
      expect(await refusal(client.create(ConfigMap, nameless))).toMatchObject(refused(422, 'Invalid', /name or generateName is required/));
    });
    test('needs a namespace that exists', async () => {
      expect(await refusal(client.create(ConfigMap, configMap('no-such-namespace', 'a')))).toMatchObject(
        refused(404, 'NotFound', /namespaces "no-such-namespace" not found/),
      );
    });
    test('takes no status of a custom resource', async () => {
      const made = await client.create(Dataset, { ...dataset(namespace, 'a'), status: { phase: 'Bound', conditions: [] } });
      expect(made['status'] ?? {}).not.toHaveProperty('phase');
    });
    test('protects volumes and claims', async () => {
      const name = unique('volume');
      const made = await client.create(PersistentVolume, volume(name, namespace, 'demo'));
      expect(made.metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
      const claimed = await client.create(PersistentVolumeClaim, claim(namespace, 'demo', name));
      expect(claimed.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
      // By admission, so that the finalizer has no owner, and no apply removes it.
      for (const { metadata } of [made, claimed]) expect(JSON.stringify(metadata.managedFields)).not.toContain('f:finalizers');
      await client.delete(PersistentVolumeClaim, at('demo'));
      await client.delete(PersistentVolume, { name });
    });
    test('turns the text of a Secret into data', async () => {
      const made = await client.create(Secret, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace, name: 's' },
        stringData: { key: 'value' },
      });
      expect(made).toMatchObject({ data: { key: 'dmFsdWU=' } });
      expect(made).not.toHaveProperty('stringData');
    });
    test('takes the kind of an object from its path, as clients of Python leave it out', async () => {
      const sent = { metadata: { namespace, name: 's' }, stringData: { key: 'value' } } as unknown as KubeObject;
      const made = await client.create(Secret, sent);
      expect(made).toMatchObject({ apiVersion: 'v1', kind: 'Secret', data: { key: 'dmFsdWU=' } });
      expect(made).not.toHaveProperty('stringData');
    });
    test('is strict where that is asked for', async () => {
      const odd = { ...configMap(namespace, 'odd'), nonsense: 1 };
      expect(await refusal(client.create(ConfigMap, odd, { fieldValidation: 'Strict' }))).toMatchObject(
        refused(400, 'BadRequest', /unknown field "nonsense"/),
      );
    });
    test('needs values that a controller can carry out', async () => {
      const cronJob = (schedule: string, job: object = {}, more: object = {}): KubeObject => ({
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { name: 'a', namespace },
        spec: {
          schedule,
          ...more,
          jobTemplate: {
            spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.io/main' }] } }, ...job },
          },
        },
      });
      const said = async (object: KubeObject) => {
        const type = object.kind === 'CronJob' ? CronJob : StatefulSet;
        const error = await refusal(client.create(type, object, { dryRun: true }));
        expect(error).toMatchObject(refused(422, 'Invalid'));
        return error.message.replace(/.* is invalid: /, '');
      };
      const least = 'must be greater than or equal to 0';
      expect(await said(statefulSet(namespace, 'a', { replicas: -1 }))).toBe(`spec.replicas: Invalid value: -1: ${least}`);
      const { template } = statefulSet(namespace, 'a')['spec'] as { readonly template: { readonly metadata: KubeObject['metadata'] } };
      const wrong = { labels: { ...template.metadata.labels, of: 'a/b' }, annotations: { 'a/b/c': '' } };
      const refusedTemplate = await said(statefulSet(namespace, 'a', { template: { ...template, metadata: wrong } }));
      expect(refusedTemplate).toContain('spec.template.labels: Invalid value: "a/b": a valid label must be');
      // Kubernetes 1.37 calls it a valid label key.
      expect(refusedTemplate).toMatch(/spec\.template\.annotations: Invalid value: "a\/b\/c": a (qualified name|valid label key) must/);
      expect(await said(cronJob('* * * * *', { backoffLimit: -1 }))).toBe(
        `spec.jobTemplate.spec.backoffLimit: Invalid value: -1: ${least}`,
      );
      for (const [schedule, why] of SCHEDULES)
        expect(await said(cronJob(schedule))).toBe(`spec.schedule: Invalid value: ${JSON.stringify(schedule)}: ${why}`);
      expect(await said(cronJob(''))).toBe('spec.schedule: Required value');
      expect(await said(cronJob('@daily', {}, { timeZone: 'Mars/Phobos' }))).toBe(
        'spec.timeZone: Invalid value: "Mars/Phobos": unknown time zone Mars/Phobos',
      );
      const long = 'a'.repeat(53);
      const named = (name: string) => ({ ...cronJob('@daily'), metadata: { ...cronJob('@daily').metadata, name } });
      expect(await said(named(long))).toBe(`metadata.name: Invalid value: "${long}": must be no more than 52 characters`);
      await client.create(CronJob, named(long.slice(1)), { dryRun: true });
      await client.create(CronJob, cronJob('@daily', {}, { timeZone: 'Europe/Berlin' }), { dryRun: true });
      for (const schedule of ['*/5 0-23/2 1,15 jan-mar SUN', '? 7/3 * * 1-5', '@daily', '@every 1h30m', ',0 0 * * *'])
        await client.create(CronJob, cronJob(schedule), { dryRun: true });
      await client.create(StatefulSet, statefulSet(namespace, 'b'));
      const edit = client.patch(StatefulSet, at('b'), { spec: { replicas: -2 } }, { type: 'merge' });
      expect(await refusal(edit)).toMatchObject(refused(422, 'Invalid', /spec\.replicas: Invalid value: -2: must be greater/));
    });
    test('needs pods that a workload can have', async () => {
      const said = async (kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'Job', spec: object): Promise<string> => {
        const group = kind === 'Job' ? 'batch' : 'apps';
        const object = { apiVersion: `${group}/v1`, kind, metadata: { name: 'a', namespace }, spec } as KubeObject;
        const error = await refusal(client.create(resourceType(group, kind, `${kind.toLowerCase()}s`), object, { dryRun: true }));
        expect(error).toMatchObject(refused(422, 'Invalid'));
        return error.message.replace(/.* is invalid: /, '');
      };
      const { selector, serviceName, template } = statefulSet(namespace, 'a')['spec'] as Readonly<Record<string, object>>;
      const apart = 'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`';
      const always = 'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"';
      const never = { ...template, spec: { ...(template as { readonly spec: object }).spec, restartPolicy: 'Never' } };
      for (const kind of ['Deployment', 'StatefulSet', 'DaemonSet'] as const) {
        const own = kind === 'StatefulSet' ? { serviceName } : {};
        expect(await said(kind, { ...own, selector: { matchLabels: { app: 'b' } }, template }), kind).toBe(apart);
        expect(await said(kind, { ...own, selector, template: never }), kind).toBe(always);
      }
      expect(await said('Job', { template })).toBe('spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"');
    });
    test('makes nothing in a dry run', async () => {
      await client.create(ConfigMap, configMap(namespace, 'dry'), { dryRun: true });
      expect(await refusal(client.get(ConfigMap, at('dry')))).toMatchObject({ status: 404 });
    });
  });

  describe('an update', () => {
    test('of an older version is a conflict, of none in particular is not', async () => {
      const made = await client.create(ConfigMap, configMap(namespace, 'a', { x: '1' }));
      const changed = await client.update(ConfigMap, { ...made, data: { x: '2' } });
      expect(changed.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
      const error = await refusal(client.update(ConfigMap, { ...made, data: { x: '3' } }));
      expect(error).toMatchObject(refused(409, 'Conflict', /the object has been modified/));
      expect(await client.update(ConfigMap, configMap(namespace, 'a', { x: '4' }))).toMatchObject({ data: { x: '4' } });
    });
    test('of another object of that name is a conflict', async () => {
      const made = await client.create(ConfigMap, configMap(namespace, 'a'));
      const { resourceVersion: _, ...metadata } = made.metadata;
      expect(
        await refusal(client.update(ConfigMap, { ...made, metadata: { ...metadata, uid: '00000000-0000-4000-8000-000000000000' } })),
      ).toMatchObject(refused(409, 'Conflict', /UID in precondition/));
    });
    test('of nothing is not found', async () => {
      expect(await refusal(client.update(ConfigMap, configMap(namespace, 'none')))).toMatchObject(refused(404, 'NotFound'));
    });
    test('that changes nothing makes no version', async () => {
      const made = await client.create(Dataset, dataset(namespace, 'a'));
      const same = await client.update(Dataset, made);
      expect(same.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    });
    test('counts edits of the spec, and nothing else', async () => {
      const made = await client.create(Dataset, dataset(namespace, 'a'));
      const generation = async (patch: object, subresource?: string) =>
        (await client.patch(Dataset, at('a'), patch, { type: 'merge', subresource })).metadata.generation;
      expect(made.metadata.generation).toBe(1);
      expect(await generation({ metadata: { labels: { a: 'b' } } })).toBe(1);
      expect(await generation({ status: { phase: 'Bound', conditions: [] } }, 'status')).toBe(1);
      expect(await generation({ spec: { placement: 'Shared' } })).toBe(2);
      expect(await generation({ spec: { placement: 'Shared' } })).toBe(2);
    });
    test('counts edits of a workload', async () => {
      await client.create(StatefulSet, statefulSet(namespace, 'a'));
      const patch = (body: object) => client.patch(StatefulSet, at('a'), body, { type: 'merge' });
      expect((await patch({ metadata: { annotations: { a: 'b' } } })).metadata.generation).toBe(1);
      expect((await patch({ spec: { template: { metadata: { labels: { more: 'yes' } } } } })).metadata.generation).toBe(2);
    });
  });

  describe('the status', () => {
    test('is written by its own path, and by that alone', async () => {
      await client.create(Dataset, dataset(namespace, 'a'));
      const both = { metadata: { labels: { a: 'b' } }, spec: { placement: 'Shared' }, status: { phase: 'Bound', conditions: [] } };
      const status = await client.patch(Dataset, at('a'), both, { type: 'merge', subresource: 'status' });
      expect(status).toMatchObject({ status: { phase: 'Bound' } });
      expect(status['spec']).not.toHaveProperty('placement');
      expect(status.metadata).not.toHaveProperty('labels');
      const main = await client.patch(Dataset, at('a'), { ...both, status: { phase: 'Failed', conditions: [] } }, { type: 'merge' });
      expect(main).toMatchObject({
        metadata: { labels: { a: 'b' } },
        spec: { placement: 'Shared' },
        status: { phase: 'Bound', conditions: [] },
      });
    });
    test('has an owner of its own', async () => {
      await client.create(Dataset, dataset(namespace, 'a'));
      const { metadata } = await client.patch(
        Dataset,
        at('a'),
        { status: { phase: 'Bound', conditions: [] } },
        { type: 'merge', subresource: 'status', fieldManager: 'reporter' },
      );
      expect(metadata.managedFields).toContainEqual(
        expect.objectContaining({
          manager: 'reporter',
          operation: 'Update',
          subresource: 'status',
          fieldsV1: { 'f:status': expect.objectContaining({ 'f:phase': {} }) as object },
        }),
      );
    });
    test('of another object of that name is a conflict when it is replaced', async () => {
      const made = await client.create(Dataset, dataset(namespace, 'a'));
      const { resourceVersion: _, ...metadata } = made.metadata;
      const body = { ...made, metadata: { ...metadata, uid: OTHER }, status: { phase: 'Bound', conditions: [] } } as KubeObject;
      expect(await refusal(client.update(Dataset, body, { subresource: 'status' }))).toMatchObject(
        refused(409, 'Conflict', /UID in precondition/),
      );
    });
    test('is patched whatever UID the patch names, where the kind is a custom one: only a version protects it', async () => {
      const { metadata } = await client.create(Dataset, dataset(namespace, 'a'));
      const body = { metadata: { uid: OTHER }, status: { phase: 'Bound', conditions: [] } };
      const answered = await client.patch(Dataset, at('a'), body, { type: 'merge', subresource: 'status' });
      expect(answered).toMatchObject({ metadata: { uid: metadata.uid }, status: { phase: 'Bound' } });
      await client.create(StatefulSet, statefulSet(namespace, 'a'));
      const ofSet = { metadata: { uid: OTHER }, status: { replicas: 0 } };
      expect(await refusal(client.patch(StatefulSet, at('a'), ofSet, { type: 'merge', subresource: 'status' }))).toMatchObject(
        refused(422, 'Invalid', /metadata\.uid/),
      );
    });
    test('of a version that was overtaken is a conflict', async () => {
      const { metadata } = await client.create(Dataset, dataset(namespace, 'a'));
      await client.patch(Dataset, at('a'), { metadata: { labels: { a: 'b' } } }, { type: 'merge' });
      const body = { metadata: { resourceVersion: metadata.resourceVersion }, status: { phase: 'Bound', conditions: [] } };
      expect(await refusal(client.patch(Dataset, at('a'), body, { type: 'merge', subresource: 'status' }))).toMatchObject(
        refused(409, 'Conflict', /the object has been modified/),
      );
    });
  });

  describe('a patch', () => {
    test('merges, and removes what is null', async () => {
      await client.create(ConfigMap, configMap(namespace, 'a', { x: '1', y: '2' }));
      const patched = await client.patch(ConfigMap, at('a'), { data: { x: null, z: '3' } }, { type: 'merge' });
      expect(patched['data']).toEqual({ y: '2', z: '3' });
    });
    test('of another object of that name is invalid', async () => {
      await client.create(ConfigMap, configMap(namespace, 'a'));
      const body = { metadata: { uid: '00000000-0000-4000-8000-000000000000', annotations: { a: 'b' } } };
      expect(await refusal(client.patch(ConfigMap, at('a'), body, { type: 'merge' }))).toMatchObject(
        refused(422, 'Invalid', /metadata\.uid: Invalid value: .*field is immutable/),
      );
    });
    test('of JSON does its operations in turn, or none', async () => {
      await client.create(ConfigMap, configMap(namespace, 'a', { x: '1' }, { finalizers: ['example.io/one'], labels: { 'a/b': 'c' } }));
      const patch = (...operations: readonly object[]) => client.patch(ConfigMap, at('a'), operations, { type: 'json' });
      const patched = await patch(
        { op: 'test', path: '/metadata/finalizers/0', value: 'example.io/one' },
        { op: 'add', path: '/metadata/finalizers/-', value: 'example.io/two' },
        { op: 'add', path: '/data/y', value: '2' },
        { op: 'replace', path: '/metadata/labels/a~1b', value: 'd' },
        { op: 'remove', path: '/data/x' },
      );
      expect(patched).toMatchObject({
        data: { y: '2' },
        metadata: { finalizers: ['example.io/one', 'example.io/two'], labels: { 'a/b': 'd' } },
      });
      const stale = await refusal(
        patch({ op: 'replace', path: '/data/y', value: '3' }, { op: 'test', path: '/metadata/finalizers/0', value: 'other' }),
      );
      expect(stale).toMatchObject(refused(422, 'Invalid'));
      expect([isConflict(stale), isInvalid(stale)]).toEqual([true, false]);
      expect(await refusal(patch({ op: 'remove', path: '/data/none' }))).toMatchObject(refused(422, 'Invalid'));
      expect(await refusal(patch({ op: 'add', path: '/metadata/annotations/x', value: 'y' }))).toMatchObject(refused(422, 'Invalid'));
      expect((await client.get(ConfigMap, at('a')))['data']).toEqual({ y: '2' });
      await patch({ op: 'remove', path: '/metadata/finalizers' });
    });
    test('of JSON may ask for a version', async () => {
      const { metadata } = await client.create(ConfigMap, configMap(namespace, 'a', { x: '1' }));
      const patch = () =>
        client.patch(
          ConfigMap,
          at('a'),
          [
            { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
            { op: 'replace', path: '/data/x', value: '2' },
          ],
          { type: 'json' },
        );
      await patch();
      expect(isConflict(await refusal(patch()))).toBe(true);
    });
    test('of nothing is not found', async () => {
      expect(await refusal(client.patch(ConfigMap, at('none'), {}, { type: 'merge' }))).toMatchObject(refused(404, 'NotFound'));
    });
  });

  describe('what cannot change', () => {
    const merge = (type: (typeof kinds)[keyof typeof kinds], name: string, body: object) =>
      refusal(client.patch(type, { ...(type.namespaced && { namespace }), name }, body, { type: 'merge' }));

    test('of a StatefulSet: its selector, its claims, its Service', async () => {
      await client.create(StatefulSet, statefulSet(namespace, 'a'));
      // Kubernetes 1.37 names the field.
      const why = refused(422, 'Invalid', /updates to statefulset spec for fields other than .* are forbidden|field is immutable/);
      expect(await merge(StatefulSet, 'a', { spec: { serviceName: 'other' } })).toMatchObject(why);
      expect(await merge(StatefulSet, 'a', { spec: { podManagementPolicy: 'OrderedReady' } })).toMatchObject(why);
      const { spec } = claim(namespace, 'cache', '');
      const template = { metadata: { name: 'cache' }, spec: { ...(spec as object), volumeName: undefined } };
      expect(await merge(StatefulSet, 'a', { spec: { volumeClaimTemplates: [template] } })).toMatchObject(why);
      expect(await client.patch(StatefulSet, at('a'), { spec: { minReadySeconds: 1 } }, { type: 'merge' })).toMatchObject({
        spec: { minReadySeconds: 1 },
      });
    });
    test('of a DaemonSet: its selector', async () => {
      await client.create(DaemonSet, daemonSet(namespace, 'a', { nodeSelector: { nowhere: 'yes' } }));
      const body = { spec: { selector: { matchLabels: { more: 'yes' } }, template: { metadata: { labels: { more: 'yes' } } } } };
      expect(await merge(DaemonSet, 'a', body)).toMatchObject(
        refused(422, 'Invalid', /spec\.selector: Invalid value: .*field is immutable/s),
      );
    });
    test('of a Deployment: its selector', async () => {
      const { selector, template } = statefulSet(namespace, 'a')['spec'] as Readonly<Record<string, object>>;
      await client.create(Deployment, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'a', namespace },
        spec: { replicas: 0, selector, template },
      });
      const body = { spec: { selector: { matchLabels: { more: 'yes' } }, template: { metadata: { labels: { more: 'yes' } } } } };
      expect(await merge(Deployment, 'a', body)).toMatchObject(
        refused(422, 'Invalid', /spec\.selector: Invalid value: .*field is immutable/s),
      );
    });
    test('of a Secret: its type', async () => {
      await client.create(Secret, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', namespace }, type: 'example.io/a' });
      // The client never shows what a server says about a Secret.
      expect(await merge(Secret, 'a', { type: 'example.io/b' })).toMatchObject(refused(422, 'Invalid'));
    });
    test('of a volume: its source', async () => {
      const name = unique('volume');
      await client.create(PersistentVolume, volume(name, namespace, 'none'));
      expect(await merge(PersistentVolume, name, { spec: { csi: { volumeAttributes: { a: 'b' } } } })).toMatchObject(
        refused(422, 'Invalid', /spec\.persistentvolumesource: Forbidden: spec\.persistentvolumesource is immutable after creation/),
      );
      const patched = await client.patch(PersistentVolume, { name }, { spec: { mountOptions: ['ro'] } }, { type: 'merge' });
      expect(patched).toMatchObject({ spec: { mountOptions: ['ro'] } });
      await client.delete(PersistentVolume, { name });
    });
    test('of a claim: everything', async () => {
      await client.create(PersistentVolumeClaim, claim(namespace, 'a', 'none'));
      expect(await merge(PersistentVolumeClaim, 'a', { spec: { accessModes: ['ReadWriteMany'] } })).toMatchObject(
        refused(422, 'Invalid', /spec: Forbidden: spec is immutable after creation except/),
      );
      expect(await merge(PersistentVolumeClaim, 'a', { spec: { volumeName: 'other' } })).toMatchObject({ status: 422 });
    });
    test('of a RoleBinding: its role', async () => {
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' };
      await client.create(RoleBinding, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { namespace, name: 'a' },
        roleRef,
        subjects: [],
      });
      expect(await merge(RoleBinding, 'a', { roleRef: { ...roleRef, name: 'b' } })).toMatchObject(
        refused(422, 'Invalid', /roleRef: Invalid value: .*(cannot change roleRef|field is immutable)/s),
      );
    });
    test('of an immutable ConfigMap: its data', async () => {
      await client.create(ConfigMap, { ...configMap(namespace, 'a', { x: '1' }), immutable: true });
      expect(await merge(ConfigMap, 'a', { data: { x: '2' } })).toMatchObject(
        refused(422, 'Invalid', /field is immutable when `immutable` is set/),
      );
    });
  });
}
