import { beforeEach, expect, test } from 'vitest';
import type { KubeClient } from '../../../src/kube/contract.ts';
import { isAbsent } from '../../../src/kube/errors.ts';
import { Event } from '../../../src/planning/kinds.ts';
import { kinds } from '../../support/kinds.ts';
import type { Subject } from '../suite.ts';
import { configMap, refusal, refused } from './objects.ts';

const { ConfigMap } = kinds;

export function reading(subject: () => Subject): void {
  let client: KubeClient;
  let namespace: string;
  beforeEach(async () => {
    client = subject().client('reader');
    namespace = await subject().namespace();
  });
  const make = (name: string, labels: object = {}) => client.create(ConfigMap, configMap(namespace, name, { x: '1' }, { labels }));
  const names = async (options: object) =>
    (await client.list(ConfigMap, { namespace, ...options })).items.map(({ metadata }) => metadata.name);

  test('an object that does not exist is not found', async () => {
    expect(await refusal(client.get(ConfigMap, { namespace, name: 'none' }))).toMatchObject(
      refused(404, 'NotFound', /configmaps "none" not found/),
    );
    expect(isAbsent(await refusal(client.get(ConfigMap, { namespace, name: 'none' })))).toBe(true);
  });
  test('a kind that is not installed is not found either', async () => {
    const type = { group: 'absent.example', version: 'v1', plural: 'ghosts', kind: 'Ghost', namespaced: true };
    expect(await refusal(client.get(type, { namespace, name: 'a' }))).toMatchObject({ status: 404 });
    expect(isAbsent(await refusal(client.get(type, { namespace, name: 'a' })))).toBe(false);
    for (const options of [{}, { namespace }]) expect(await refusal(client.list(type, options))).toMatchObject({ status: 404 });
  });
  test.each([
    ['a=b', ['one', 'two']],
    ['a=b,c', ['two']],
    ['a=b,!c', ['one']],
    ['c', ['two', 'three']],
    ['a notin (b),kind=test', ['three']],
    ['a in (b,x)', ['one', 'two']],
    ['a!=b,kind=test', ['three']],
  ])('labels are selected by %s', async (labelSelector, expected) => {
    await make('one', { a: 'b', kind: 'test' });
    await make('two', { a: 'b', c: '', kind: 'test' });
    await make('three', { c: 'd', kind: 'test' });
    expect((await names({ labelSelector })).toSorted()).toEqual(expected.toSorted());
  });
  test('fields are selected by name', async () => {
    await make('one');
    await make('two');
    expect(await names({ fieldSelector: 'metadata.name=two' })).toEqual(['two']);
    expect(await refusal(client.list(ConfigMap, { namespace, fieldSelector: 'data.x=1' }))).toMatchObject(refused(400, 'BadRequest'));
  });
  test('events are selected by their object and their reason', async () => {
    const about = (name: string, uid: string, reason: string) =>
      client.create(Event, {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name, namespace },
        involvedObject: { apiVersion: 'batch/v1', kind: 'Job', namespace, name: 'job', uid },
        reason,
        type: 'Warning',
      });
    await about('a', 'one', 'FailedCreate');
    await about('b', 'one', 'SuccessfulCreate');
    await about('c', 'two', 'FailedCreate');
    const { items } = await client.list(Event, { namespace, fieldSelector: 'involvedObject.uid=one,reason=FailedCreate', limit: 10 });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['a']);
  });
  test('pages are of one moment, in the order of names', async () => {
    for (const name of ['c', 'a', 'e', 'b', 'd']) await make(name, { paged: 'yes' });
    const first = await client.list(ConfigMap, { namespace, labelSelector: 'paged', limit: 2 });
    await client.delete(ConfigMap, { namespace, name: 'd' });
    await make('f', { paged: 'yes' });
    const rest: string[] = [];
    let token = first.continue;
    while (token !== undefined) {
      const page = await client.list(ConfigMap, { namespace, labelSelector: 'paged', limit: 2, continue: token });
      expect(page.resourceVersion).toBe(first.resourceVersion);
      rest.push(...page.items.map(({ metadata }) => metadata.name));
      token = page.continue;
    }
    expect([...first.items.map(({ metadata }) => metadata.name), ...rest]).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
  test('metadata only', async () => {
    await make('heavy');
    const [item] = (await client.list(ConfigMap, { namespace, fieldSelector: 'metadata.name=heavy', metadataOnly: true })).items;
    expect(item).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'heavy' } });
    expect(item).not.toHaveProperty('data');
    expect(await client.get(ConfigMap, { namespace, name: 'heavy' }, { metadataOnly: true })).not.toHaveProperty('data');
  });
  test('a list is as new as what was written before it', async () => {
    const { metadata } = await make('newest');
    const { items, resourceVersion } = await client.list(ConfigMap, { namespace });
    expect(items.some(({ metadata: { name } }) => name === 'newest')).toBe(true);
    expect(Number(resourceVersion)).toBeGreaterThanOrEqual(Number(metadata.resourceVersion));
  });
}
