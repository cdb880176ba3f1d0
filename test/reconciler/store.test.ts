import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { createClient } from '../../src/kube/kube-client.ts';
import type { KubeClient, WatchOptions } from '../../src/kube/contract.ts';
import { type KubeObject, type ResourceType, silent } from '../../src/kube/types.ts';
import { createStore } from '../../src/reconciler/kubernetes/store/store.ts';

const object = (resourceVersion: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Dataset',
  metadata: { name: 'demo', uid: 'u', resourceVersion, ...more },
});

test('two definitions of one kind are refused: both would claim each object', () => {
  const [one] = runtimes;
  const client = createClient({ server: 'http://127.0.0.1:9' }, { fieldManager: 'sluice' });
  const start = () =>
    createStore({ client, runtimes: [...runtimes, { ...one!, type: 'other' }], onKey() {}, onGone() {}, onPlacement() {}, log: silent });
  expect(start).toThrow(`runtimes: expected one definition for each kind, found a second for ${one!.resource.kind}, other`);
});

describe('a watch is expected to show what was written', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** A server that lists nothing, and whose watches are open and silent. */
  async function silentServer() {
    const watched: string[] = [];
    const client = {
      list: async () => ({ items: [], resourceVersion: '5' }),
      async *watch({ kind }: ResourceType, { signal, onHeard }: WatchOptions) {
        watched.push(kind);
        onHeard?.();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        yield* [];
      },
    } as unknown as KubeClient;
    const store = createStore({ client, runtimes, onKey() {}, onGone() {}, onPlacement() {}, log: silent });
    await store.synced;
    await vi.advanceTimersByTimeAsync(0);
    return { store, times: (kind: string) => watched.filter((each) => each === kind).length };
  }
  const ours = (labels: object) => ({ ...object('9', { namespace: 'ml', labels }), apiVersion: 'v1', kind: 'ConfigMap' });

  test('and begun anew when it does not', async () => {
    const { store, times } = await silentServer();
    store.remember(ours({ 'data.fluid.io/owner-uid': 'u' }));
    await vi.advanceTimersByTimeAsync(8_000);
    expect([times('ConfigMap'), times('Service')]).toEqual([2, 1]);
    expect(store.reflectors.get('configmaps')?.status.behind).toBe(true);
    store.stop();
  });
  test('but for what it does not select', async () => {
    const { store, times } = await silentServer();
    store.remember(ours({}));
    await vi.advanceTimersByTimeAsync(8_000);
    expect(times('ConfigMap')).toBe(1);
    store.stop();
  });

  test('what was written is read once, in whichever order answer and event come', async () => {
    const { store } = await silentServer();
    const labels = { 'data.fluid.io/owner-uid': 'u' };
    store.remember(ours(labels));
    const kept = store.live('ConfigMap', 'ml', 'demo');
    expect(kept?.metadata.resourceVersion).toBe('9');
    expect(store.project(ours(labels))).toBe(kept);
    const later = { ...ours(labels), metadata: { ...ours(labels).metadata, resourceVersion: '10' } };
    const other = { ...ours(labels), metadata: { ...ours(labels).metadata, uid: 'other' } };
    for (const each of [later, other]) expect(store.project(each).metadata).toMatchObject({ ...each.metadata });
    store.forget(kept!);
    expect(store.project(ours(labels)).metadata['gone']).toBeUndefined();
    store.stop();
  });
  test('a spec that nobody has changed is the same object after a write of ours', async () => {
    const { store } = await silentServer();
    const dataset = (resourceVersion: string, generation: number, uid = 'u') => ({
      ...object(resourceVersion, { namespace: 'ml', generation, uid }),
      apiVersion: 'data.fluid.io/v1alpha1',
      spec: { mounts: [{ mountPoint: `s3://bucket/${uid}/${generation}` }] },
    });
    const key = { namespace: 'ml', name: 'demo' };
    const specOf = (written: KubeObject) => {
      store.remember(written);
      return store.dataset(key)?.spec;
    };
    const first = specOf(dataset('9', 1));
    expect(specOf(dataset('10', 1))).toBe(first);
    expect(specOf(dataset('11', 2))).toEqual(dataset('11', 2).spec);
    // A successor counts its generations from one again.
    expect(specOf(dataset('12', 2, 'other'))).toEqual(dataset('12', 2, 'other').spec);
    store.stop();
  });
});
