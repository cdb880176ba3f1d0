import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { runtimes } from '../../../../runtimes/_all.gen.ts';
import thin from '../../../../runtimes/thin/index.ts';
import { Dataset } from '../../../../src/api/index.ts';
import { createClient } from '../../../../src/kube/client/kube-client.ts';
import type { KubeClient, WatchOptions } from '../../../../src/kube/contract.ts';
import { type KubeObject, type ResourceType, silent } from '../../../../src/kube/types.ts';
import { ownedKinds, typeOf } from '../../../../src/planning/kinds.ts';
import { createStore } from '../../../../src/reconciler/kubernetes/store/store.ts';
import { createApiServer } from '../../../../src/api-server/index.ts';
import { openDataset, thinProfile, thinRuntime } from '../../../support/objects.ts';

const object = (resourceVersion: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Dataset',
  metadata: { name: 'demo', uid: 'u', resourceVersion, ...more },
});

test('two definitions of one kind are rejected: both would claim each object', () => {
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

  test('and is begun again when it does not (S5)', async () => {
    const { store, times } = await silentServer();
    store.remember(ours({ 'data.fluid.io/owner-uid': 'u' }));
    await vi.advanceTimersByTimeAsync(8_000);
    expect([times('ConfigMap'), times('Service')]).toEqual([2, 1]);
    expect(store.reflectors.get('configmaps')?.status.behind).toBe(true);
    store.stop();
  });
  test('unless the watch does not select it (S5)', async () => {
    const { store, times } = await silentServer();
    store.remember(ours({}));
    await vi.advanceTimersByTimeAsync(8_000);
    expect(times('ConfigMap')).toBe(1);
    store.stop();
  });

  test('an object that was written is projected once, in whichever order answer and event come (S1, S14)', async () => {
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
  test('a spec that no writer changed is the same JavaScript object after a write of ours (S14)', async () => {
    const { store } = await silentServer();
    // Together larger than what equal specs share.
    const mounts = Array.from({ length: 40 }, (_, i) => ({ mountPoint: `s3://bucket-of-a-long-name/${i}`, name: `mount-${i}` }));
    const dataset = (resourceVersion: string, generation: number, uid = 'u') => ({
      ...object(resourceVersion, { namespace: 'ml', generation, uid }),
      apiVersion: 'data.fluid.io/v1alpha1',
      spec: { mounts: [...mounts, { mountPoint: `s3://bucket/${uid}/${generation}` }] },
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

describe('a store of a cluster', () => {
  const runtime = { namespace: 'ml', name: 'demo' };
  const labelled = (uid: string, namespace = 'ml') => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name: 'config', labels: { 'data.fluid.io/owner-uid': uid } },
  });

  /** The store's calls in order, and with `look` the objects that were read from it in that moment. */
  async function watching() {
    const kinds = [Dataset, thin.resource, ...thin.companions].map(typeOf);
    const server = createApiServer({ kinds, namespaces: ['ml', 'other'] });
    const client = server.client({ fieldManager: 'sluice' });
    const heard: unknown[] = [];
    const said = (what: string) => void heard.push(looked.at ? [what, looked.at()] : what);
    const looked: { at?: () => unknown } = {};
    const store = createStore({
      client,
      runtimes: [thin],
      onKey: ({ namespace, name }) => said(`${namespace}/${name}`),
      onGone: ({ namespace, name }) => said(`${namespace}/${name} is gone`),
      onPlacement() {},
      log: silent,
    });
    onTestFinished(store.stop);
    await store.synced;
    const settle = async () => {
      for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
    };
    return {
      server,
      client,
      store,
      settle,
      /** The calls that this causes. */
      async heardOf(what: () => unknown, look?: () => unknown) {
        await settle();
        heard.splice(0);
        if (look) looked.at = look;
        else delete looked.at;
        await what();
        await settle();
        return [...heard];
      },
      putRuntime: (name = 'demo') => server.put({ ...thinRuntime(name, { profileName: 'profile' }), metadata: { namespace: 'ml', name } }),
    };
  }
  const uidOf = ({ metadata }: KubeObject) => metadata.uid ?? '';

  test('shows a change already when it wakes the key (S7)', async () => {
    const { server, store, heardOf, putRuntime } = await watching();
    const owner = () => ({ uid: store.runtimes(runtime)[0]?.object.metadata.uid ?? '', namespace: 'ml' });
    const numbers = () => [
      store.runtimes(runtime).length,
      store.dataset(runtime) ? 1 : 0,
      store.inventory(owner()).length,
      store.live('ConfigMap', 'ml', 'config') ? 1 : 0,
    ];
    expect(await heardOf(() => putRuntime(), numbers)).toEqual([['ml/demo', [1, 0, 0, 0]]]);
    expect(await heardOf(() => server.put({ ...openDataset('demo'), metadata: runtime }), numbers)).toEqual([['ml/demo', [1, 1, 0, 0]]]);
    expect(await heardOf(() => server.put(labelled(owner().uid)), numbers)).toEqual([['ml/demo', [1, 1, 1, 1]]]);
    expect(await heardOf(() => server.remove('ConfigMap', 'ml', 'config'), numbers)).toEqual([['ml/demo', [1, 1, 0, 0]]]);
    expect(await heardOf(() => server.remove('Dataset', 'ml', 'demo'), numbers)).toEqual([['ml/demo', [1, 0, 0, 0]]]);
  });

  test('wakes no key for the event of our own write, and one for the next change (S4)', async () => {
    const { client, server, store, heardOf, putRuntime } = await watching();
    const uid = uidOf(putRuntime());
    const config = labelled(uid);
    expect(await heardOf(async () => store.created(await client.create(ownedKinds.ConfigMap, config)))).toEqual([]);
    expect(await heardOf(() => server.put({ ...config, data: { k: 'edited' } }))).toEqual(['ml/demo']);
  });

  describe('whose watch lost touch while we wrote', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
    afterEach(() => void vi.useRealTimers());

    /** The history is forgotten before the watch comes back. */
    async function lost() {
      const at = await watching();
      const config = labelled(uidOf(at.putRuntime()));
      return {
        ...at,
        config,
        async write() {
          at.server.hold('ConfigMap');
          const written = await at.client.create(ownedKinds.ConfigMap, config);
          at.store.created(written);
          return written;
        },
        lists: () =>
          at.heardOf(async () => {
            at.server.compact();
            at.server.endWatches('ConfigMap');
            await vi.advanceTimersByTimeAsync(5_000);
          }),
      };
    }
    test('wakes its key for what a list shows: others may have written what our write stands on (S4)', async () => {
      const { lists, write } = await lost();
      await write();
      expect(await lists()).toEqual(['ml/demo']);
    });
    test('wakes its key for what was deleted before any event showed it (S3, S4)', async () => {
      const { lists, write, server, store } = await lost();
      await write();
      server.remove('ConfigMap', 'ml', 'config');
      expect(await lists()).toEqual(['ml/demo']);
      expect(store.live('ConfigMap', 'ml', 'config')).toBeUndefined();
    });
  });

  test('wakes only the runtimes that refer to it for our own write of the status of a runtime (S4)', async () => {
    const { client, store, heardOf, putRuntime } = await watching();
    putRuntime();
    store.refers({ namespace: 'ml', name: 'user' }, runtime);
    const write = (value: number) =>
      client.patch(
        typeOf(thin.resource),
        runtime,
        { status: { desiredWorkerNumberScheduled: value } },
        { type: 'merge', subresource: 'status' },
      );
    expect(await heardOf(async () => store.remember(await write(1)))).toEqual(['ml/user']);
    expect(store.runtimes(runtime)[0]?.object.status).toMatchObject({ desiredWorkerNumberScheduled: 1 });
    expect(await heardOf(() => write(2))).toEqual(['ml/user', 'ml/demo']);
  });

  test('returns our own write, or a newer version, although the watch is behind (S1)', async () => {
    const { client, server, settle, store } = await watching();
    server.put({ ...labelled('u'), data: { k: 'first' } });
    await settle();
    server.hold('ConfigMap');
    const patched = (k: string) =>
      client.patch(ownedKinds.ConfigMap, { namespace: 'ml', name: 'config' }, { data: { k } }, { type: 'merge' });
    const versions = () => [store.live, store.seen].map((read) => read('ConfigMap', 'ml', 'config')?.metadata.resourceVersion);
    const second = await patched('second');
    store.remember(second);
    expect(versions()).toEqual([second.metadata.resourceVersion, second.metadata.resourceVersion]);
    const third = await patched('third');
    server.release('ConfigMap');
    await settle();
    expect(versions()).toEqual([third.metadata.resourceVersion, third.metadata.resourceVersion]);
  });

  test('has in the inventory of an owner what a write of ours made, and not what a read found to be deleted, although the watch is behind (S1, S2)', async () => {
    const { client, server, settle, store } = await watching();
    const inventory = (uid: string) => store.inventory({ uid, namespace: 'ml' }).map(({ metadata: { name } }) => name);
    const named = (name: string, uid: string) => ({ ...labelled(uid), metadata: { ...labelled(uid).metadata, name } });
    const shown = server.put(named('shown', 'u'));
    await settle();
    server.hold('ConfigMap');
    store.created(await client.create(ownedKinds.ConfigMap, named('made', 'u')));
    store.created(await client.create(ownedKinds.ConfigMap, named('others', 'v')));
    expect(inventory('u')).toEqual(['shown', 'made']);
    server.remove('ConfigMap', 'ml', 'shown');
    store.forget(shown);
    expect(inventory('u')).toEqual(['made']);
    server.remove('ConfigMap', 'ml', 'made');
    server.release('ConfigMap');
    await settle();
    expect([inventory('u'), inventory('v')]).toEqual([[], ['others']]);
  });

  test('does not return what a read found to be deleted, although the watch shows it, but its successor (S2)', async () => {
    const { server, settle, store } = await watching();
    const first = server.put(labelled('u'));
    await settle();
    server.hold('ConfigMap');
    server.remove('ConfigMap', 'ml', 'config');
    const uids = () => [store.live, store.seen].map((read) => read('ConfigMap', 'ml', 'config')?.metadata.uid);
    expect(uids()).toEqual([uidOf(first), uidOf(first)]);
    store.forget(first);
    expect(uids()).toEqual([undefined, undefined]);
    const successor = server.put(labelled('u'));
    server.release('ConfigMap');
    await settle();
    expect(uids()).toEqual([uidOf(successor), uidOf(successor)]);
  });

  test('keeps the spec of a Dataset of which another field changed as the same JavaScript object (S14)', async () => {
    const { server, settle, store } = await watching();
    const metadata = { ...runtime, generation: 1 };
    // Larger than what equal specs share.
    const spec = { mounts: Array.from({ length: 40 }, (_, i) => ({ mountPoint: `s3://bucket-of-a-long-name/${i}`, name: `mount-${i}` })) };
    const specAfter = async (labels: Record<string, string>) => {
      server.put({ ...openDataset('demo'), metadata: { ...metadata, labels }, spec: structuredClone(spec) });
      await settle();
      expect(store.dataset(runtime)?.metadata.labels).toEqual(labels);
      return store.dataset(runtime)?.spec;
    };
    const first = await specAfter({ mine: 'a' });
    expect(first).toMatchObject(spec);
    expect(await specAfter({ mine: 'b' })).toBe(first);
  });

  test('wakes a runtime that refers to a Dataset also for our own write of that volume (S4, S11)', async () => {
    const { client, store, heardOf, putRuntime } = await watching();
    const uid = uidOf(putRuntime());
    store.refers({ namespace: 'ml', name: 'user' }, runtime);
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'ml-demo', labels: { 'data.fluid.io/owner-uid': uid } },
      spec: { claimRef: runtime },
    };
    expect(await heardOf(async () => store.created(await client.create(ownedKinds.PersistentVolume, volume)))).toEqual(['ml/user']);
  });

  test('drops what carries the UID of a runtime in another namespace, whichever of the two it sees first (S8)', async () => {
    const { server, store, heardOf, putRuntime } = await watching();
    server.hold('ThinRuntime');
    const uid = uidOf(putRuntime());
    expect(await heardOf(() => server.put(labelled(uid, 'other')))).toEqual([]);
    expect(store.inventory({ uid, namespace: 'other' })).toHaveLength(1);
    expect(await heardOf(() => server.release('ThinRuntime'))).toEqual(['ml/demo']);
    expect(store.inventory({ uid, namespace: 'other' })).toEqual([]);
    expect(await heardOf(() => server.put({ ...labelled(uid, 'other'), data: { k: 'v' } }))).toEqual([]);
    expect(store.inventory({ uid, namespace: 'other' })).toEqual([]);
  });

  test('moves an object whose label names another owner to the inventory of that one, and wakes both (S9)', async () => {
    const { server, store, heardOf, putRuntime } = await watching();
    const [one, two] = ['one', 'two'].map((name) => ({ namespace: 'ml', uid: uidOf(putRuntime(name)) }));
    await heardOf(() => server.put(labelled(one!.uid)));
    expect([store.inventory(one!).length, store.inventory(two!).length]).toEqual([1, 0]);
    expect(await heardOf(() => server.put(labelled(two!.uid)))).toEqual(['ml/two', 'ml/one']);
    expect([store.inventory(one!).length, store.inventory(two!).length]).toEqual([0, 1]);
  });

  test('reports that a runtime is gone before it wakes its key, with its ports free and its subscriptions ended (S13)', async () => {
    const { server, store, heardOf, putRuntime } = await watching();
    const uid = uidOf(putRuntime());
    const profile = (imageTag: string) =>
      thinProfile('profile', { fileSystemType: 'fuse.x', fuse: { image: 'example.io/fuse', imageTag } });
    server.put(profile('v1'));
    await heardOf(() => {});
    store.companion('ThinRuntimeProfile', 'profile', runtime);
    store.ports.reserve(uid, 'port', 24000);
    expect(await heardOf(() => server.put(profile('v2')))).toEqual(['ml/demo']);
    const isTaken = () => store.ports.isTaken(24000);
    expect(isTaken()).toBe(true);
    expect(await heardOf(() => server.remove('ThinRuntime', 'ml', 'demo'), isTaken)).toEqual([
      ['ml/demo is gone', false],
      ['ml/demo', false],
    ]);
    expect(await heardOf(() => server.put(profile('v3')))).toEqual([]);
  });

  test('keeps nothing of a Secret that is remembered (S6)', async () => {
    const { store } = await watching();
    // Newer than anything that a watch has passed.
    const metadata = { ...runtime, uid: 's', resourceVersion: '999999999' };
    store.remember({ apiVersion: 'v1', kind: 'Secret', metadata, data: { key: 'value' } });
    expect(store.seen('Secret', 'ml', 'demo')).toBeUndefined();
  });
});
