import { beforeEach, expect, test } from 'vitest';
import type { KubeClient } from '../../../src/kube/contract.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { kinds } from '../../support/kinds.ts';
import type { Subject } from '../suite.ts';
import { configMap, dataset, refusal, refused } from './objects.ts';

const { ConfigMap, Dataset } = kinds;

export function admission(subject: () => Subject): void {
  let client: KubeClient;
  let namespace: string;
  beforeEach(async () => {
    client = subject().client('writer');
    namespace = await subject().namespace();
  });
  const at = (name: string) => ({ namespace, name });
  const injecting = (object: KubeObject) => ({ ...object, data: { ...(object['data'] as object), injected: 'yes' } });

  test('that refuses leaves everything as it was, whatever the verb', async () => {
    const made = await client.create(ConfigMap, configMap(namespace, 'there', { x: '1' }));
    await subject().webhook(ConfigMap, namespace, configMap(namespace, 'sample'), () => ({
      refused: { code: 403, reason: 'Forbidden', message: 'not here' },
    }));
    const denied = refused(403, 'Forbidden', /admission webhook "review\.suite\.example" denied the request: not here/);
    expect(await refusal(client.create(ConfigMap, configMap(namespace, 'new')))).toMatchObject(denied);
    expect(await refusal(client.apply(ConfigMap, configMap(namespace, 'new')))).toMatchObject(denied);
    expect(await refusal(client.get(ConfigMap, at('new')))).toMatchObject({ status: 404 });
    expect(await refusal(client.update(ConfigMap, configMap(namespace, 'there', { x: '2' })))).toMatchObject(denied);
    expect(await refusal(client.patch(ConfigMap, at('there'), { data: { x: '2' } }, { type: 'merge' }))).toMatchObject(denied);
    expect(await refusal(client.apply(ConfigMap, configMap(namespace, 'there', { x: '2' }), { force: true }))).toMatchObject(denied);
    expect((await client.get(ConfigMap, at('there'))).metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    // The webhook was not called for deletions.
    await client.delete(ConfigMap, at('there'));
  });
  test('that changes objects is obeyed, and its changes have no owner', async () => {
    await subject().webhook(ConfigMap, namespace, configMap(namespace, 'sample'), injecting);
    const made = await client.create(ConfigMap, configMap(namespace, 'a', { x: '1' }));
    expect(made['data']).toEqual({ x: '1', injected: 'yes' });
    const applied = await client.apply(ConfigMap, configMap(namespace, 'b', { x: '1' }));
    expect(applied['data']).toEqual({ x: '1', injected: 'yes' });
    for (const { metadata } of [made, applied]) expect(JSON.stringify(metadata.managedFields)).not.toContain('injected');
    const again = await client.apply(ConfigMap, configMap(namespace, 'b', { x: '1' }));
    expect(again.metadata.resourceVersion).toBe(applied.metadata.resourceVersion);
    const dry = await client.create(ConfigMap, configMap(namespace, 'c'), { dryRun: true });
    expect(dry['data']).toEqual({ injected: 'yes' });
  });
  test('changes of a status nothing but that, and elsewhere all but that', async () => {
    await subject().webhook(Dataset, namespace, dataset(namespace, 'sample'), (object) => ({
      ...object,
      spec: { ...(object['spec'] as object), placement: 'Shared' },
      status: { ...(object['status'] as object | undefined), phase: 'Failed', conditions: [] },
    }));
    const made = await client.create(Dataset, dataset(namespace, 'a', { placement: 'Exclusive' }));
    expect(made).toMatchObject({ spec: { placement: 'Shared' } });
    expect(made).not.toHaveProperty('status');
    const body = { status: { phase: 'Bound', conditions: [] } };
    const answered = await client.patch(Dataset, at('a'), body, { type: 'merge', subresource: 'status' });
    expect(answered).toMatchObject({ metadata: { generation: 1 }, status: { phase: 'Failed' } });
    const edited = await client.patch(Dataset, at('a'), { metadata: { labels: { a: 'b' } } }, { type: 'merge' });
    expect(edited.metadata.generation).toBe(1);
  });
}
