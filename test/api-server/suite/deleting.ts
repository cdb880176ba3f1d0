import { beforeEach, expect, test } from 'vitest';
import type { KubeClient } from '../../../src/kube/contract.ts';
import { isNotFound } from '../../../src/kube/errors.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { kinds } from '../../support/kinds.ts';
import type { Subject } from '../suite.ts';
import { configMap, dataset, ownedBy, pod, refusal, refused } from './objects.ts';

const { ConfigMap, Dataset, Namespace, Pod } = kinds;

export function deleting(subject: () => Subject): void {
  let client: KubeClient;
  let namespace: string;
  beforeEach(async () => {
    client = subject().client('deleter');
    namespace = await subject().namespace();
  });
  const at = (name: string) => ({ namespace, name });
  const isGone = (name: string) =>
    client.get(ConfigMap, at(name)).then(
      () => false,
      (error: unknown) => isNotFound(error),
    );
  const child = (name: string, parent: KubeObject, more: object = {}) =>
    client.create(ConfigMap, configMap(namespace, name, {}, ownedBy(parent, more)));
  const merge = (name: string, body: object) => client.patch(ConfigMap, at(name), body, { type: 'merge' });

  test('is at once', async () => {
    await client.create(ConfigMap, configMap(namespace, 'a'));
    await client.delete(ConfigMap, at('a'));
    expect(await isGone('a')).toBe(true);
    expect(await refusal(client.delete(ConfigMap, at('a')))).toMatchObject(refused(404, 'NotFound'));
  });
  test('asks for the object, or the version, that was meant', async () => {
    const { metadata } = await client.create(ConfigMap, configMap(namespace, 'a'));
    await merge('a', { data: { x: '1' } });
    const other = '00000000-0000-4000-8000-000000000000';
    expect(await refusal(client.delete(ConfigMap, at('a'), { uid: other }))).toMatchObject(
      refused(409, 'Conflict', /the UID in the precondition .* does not match/),
    );
    expect(await refusal(client.delete(ConfigMap, at('a'), { resourceVersion: metadata.resourceVersion }))).toMatchObject(
      refused(409, 'Conflict', /the ResourceVersion in the precondition .* does not match/),
    );
    await client.delete(ConfigMap, at('a'), { uid: metadata.uid });
    expect(await isGone('a')).toBe(true);
  });
  test('waits for finalizers, and the last one that goes takes the object', async () => {
    await client.create(ConfigMap, configMap(namespace, 'a', {}, { finalizers: ['example.io/one', 'example.io/two'] }));
    await client.delete(ConfigMap, at('a'));
    const { metadata } = await client.get(ConfigMap, at('a'));
    expect(metadata).toMatchObject({ deletionTimestamp: expect.any(String) as string, deletionGracePeriodSeconds: 0 });
    await client.delete(ConfigMap, at('a'));
    const { resourceVersion } = (await client.get(ConfigMap, at('a'))).metadata;
    expect(resourceVersion).toBe(metadata.resourceVersion);
    await merge('a', { metadata: { finalizers: ['example.io/two'] } });
    await merge('a', { metadata: { finalizers: null } });
    expect(await isGone('a')).toBe(true);
  });
  test('of a pod on a node gives its containers time, which the next request may shorten', async () => {
    await client.create(Pod, pod(namespace, 'a', { nodeName: 'nowhere', terminationGracePeriodSeconds: 60 }));
    const grace = async () => (await client.get(Pod, at('a'))).metadata['deletionGracePeriodSeconds'];
    await client.delete(Pod, at('a'));
    expect(await grace()).toBe(60);
    await client.delete(Pod, at('a'), { gracePeriodSeconds: 5 });
    expect(await grace()).toBe(5);
    await client.delete(Pod, at('a'), { gracePeriodSeconds: 30 });
    expect(await grace()).toBe(5);
    await client.delete(Pod, at('a'), { gracePeriodSeconds: 0 });
    expect(isNotFound(await refusal(client.get(Pod, at('a'))))).toBe(true);
  });
  test('counts as an edit of what counts them', async () => {
    await client.create(Dataset, dataset(namespace, 'a', {}, { finalizers: ['example.io/one'] }));
    await client.delete(Dataset, at('a'));
    expect((await client.get(Dataset, at('a'))).metadata.generation).toBe(2);
    await client.patch(Dataset, at('a'), { metadata: { finalizers: null } }, { type: 'merge' });
  });
  test('lets no finalizer come', async () => {
    await client.create(ConfigMap, configMap(namespace, 'a', {}, { finalizers: ['example.io/one'] }));
    await client.delete(ConfigMap, at('a'));
    expect(await refusal(merge('a', { metadata: { finalizers: ['example.io/one', 'example.io/two'] } }))).toMatchObject(
      refused(422, 'Invalid', /no new finalizers can be added if the object is being deleted/),
    );
    expect(await merge('a', { data: { still: 'writable' } })).toMatchObject({ data: { still: 'writable' } });
    await merge('a', { metadata: { finalizers: null } });
  });
  test('takes what it owns afterwards', async () => {
    const parent = await client.create(ConfigMap, configMap(namespace, 'parent'));
    await child('child', parent);
    await client.delete(ConfigMap, at('parent'));
    expect(await isGone('parent')).toBe(true);
    await subject().eventually(async () => expect(await isGone('child')).toBe(true));
  });
  test('leaves what has another owner', async () => {
    const [one, two] = [
      await client.create(ConfigMap, configMap(namespace, 'one')),
      await client.create(ConfigMap, configMap(namespace, 'two')),
    ];
    await child('only', one);
    const ownerReferences = [...ownedBy(one).ownerReferences, ...ownedBy(two).ownerReferences];
    await client.create(ConfigMap, configMap(namespace, 'both', {}, { ownerReferences }));
    await client.delete(ConfigMap, at('one'));
    await subject().eventually(async () => expect(await isGone('only')).toBe(true));
    expect(await isGone('both')).toBe(false);
  });
  test('in the foreground waits for what blocks it', async () => {
    const parent = await client.create(ConfigMap, configMap(namespace, 'parent'));
    await child('child', parent, { controller: true, blockOwnerDeletion: true });
    await merge('child', { metadata: { finalizers: ['example.io/one'] } });
    await client.delete(ConfigMap, at('parent'), { propagation: 'Foreground' });
    await subject().eventually(async () => expect((await client.get(ConfigMap, at('child'))).metadata).toHaveProperty('deletionTimestamp'));
    expect((await client.get(ConfigMap, at('parent'))).metadata).toMatchObject({ finalizers: ['foregroundDeletion'] });
    await merge('child', { metadata: { finalizers: null } });
    await subject().eventually(async () => expect(await isGone('parent')).toBe(true));
  });
  test('may orphan what it owns', async () => {
    const parent = await client.create(ConfigMap, configMap(namespace, 'parent'));
    await child('child', parent);
    await client.delete(ConfigMap, at('parent'), { propagation: 'Orphan' });
    await subject().eventually(async () => expect(await isGone('parent')).toBe(true));
    expect((await client.get(ConfigMap, at('child'))).metadata).not.toHaveProperty('ownerReferences');
  });
  test('of an owner that never was takes what names it', async () => {
    const uid = '00000000-0000-4000-8000-000000000000';
    await client.create(
      ConfigMap,
      configMap(namespace, 'orphan', {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'never', uid }] }),
    );
    await subject().eventually(async () => expect(await isGone('orphan')).toBe(true));
  });
  test('of a namespace empties it first, and lets nothing new come', async () => {
    await client.create(ConfigMap, configMap(namespace, 'a', {}, { finalizers: ['example.io/one'] }));
    await client.delete(Namespace, { name: namespace });
    expect(await client.get(Namespace, { name: namespace })).toMatchObject({ status: { phase: 'Terminating' } });
    const late = await refusal(client.create(ConfigMap, configMap(namespace, 'b')));
    expect(late).toMatchObject(refused(403, 'Forbidden', /because it is being terminated/));
    // By this, events of what is going are not sent again and again.
    expect(late.body?.details?.causes).toMatchObject([{ reason: 'NamespaceTerminating' }]);
    await subject().eventually(async () => expect((await client.get(ConfigMap, at('a'))).metadata).toHaveProperty('deletionTimestamp'));
    await merge('a', { metadata: { finalizers: null } });
    await subject().eventually(async () => expect(isNotFound(await refusal(client.get(Namespace, { name: namespace })))).toBe(true));
  });
}
