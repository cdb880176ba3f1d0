import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { KubeClient, Selection, WatchOptions } from '../../../src/kube/contract.ts';
import type { ApiError } from '../../../src/kube/errors.ts';
import type { KubeObject, ResourceType, WatchEvent } from '../../../src/kube/types.ts';
import { kinds } from '../../support/kinds.ts';
import type { Subject } from '../suite.ts';
import { configMap, refusal, refused, unique } from './objects.ts';

const { ConfigMap, Dataset } = kinds;

export function watching(subject: () => Subject): void {
  let client: KubeClient;
  let namespace: string;
  beforeEach(async () => {
    client = subject().client('watcher');
    namespace = await subject().namespace();
  });
  const make = (name: string, metadata: object = {}) => client.create(ConfigMap, configMap(namespace, name, {}, metadata));
  const merge = (name: string, body: object) => client.patch(ConfigMap, { namespace, name }, body, { type: 'merge' });
  const nowAt = async () => (await client.list(ConfigMap, { namespace })).resourceVersion;

  /** As every client that watches does it: a server that is not ready yet for a kind answers 429. */
  async function* events(type: ResourceType, options: WatchOptions): AsyncGenerator<WatchEvent> {
    for (;;)
      try {
        return yield* client.watch(type, options);
      } catch (error) {
        if ((error as ApiError).status !== 429) throw error;
      }
  }
  /** The events of a watch from a version. */
  function watch(resourceVersion: string, selection: Selection = {}): readonly { readonly type: string; readonly object: KubeObject }[] {
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const seen: { type: string; object: KubeObject }[] = [];
    void (async () => {
      const options = { namespace, resourceVersion, timeoutSeconds: 60, signal: stop.signal, ...selection };
      for await (const event of events(ConfigMap, options)) if (event.type !== 'BOOKMARK') seen.push(event);
    })();
    return seen;
  }
  const shows = (seen: ReturnType<typeof watch>, expected: readonly string[]) =>
    subject().eventually(async () => expect(seen.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(expected));

  test('shows everything since the version that it starts from, in order', async () => {
    await make('before');
    const from = await nowAt();
    await make('a');
    const seen = watch(from);
    await merge('a', { data: { x: '1' } });
    await client.delete(ConfigMap, { namespace, name: 'a' });
    await shows(seen, ['ADDED a', 'MODIFIED a', 'DELETED a']);
    const versions = seen.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(new Set(versions).size).toBe(3);
    expect(seen.at(-1)?.object).toMatchObject({ data: { x: '1' } });
  });
  test('an object that gets the label comes, and one that loses it goes', async () => {
    await make('a');
    const seen = watch(await nowAt(), { labelSelector: 'watched' });
    await merge('a', { data: { x: '1' } });
    await merge('a', { metadata: { labels: { watched: 'yes' } } });
    await merge('a', { data: { x: '2' } });
    const { metadata } = await merge('a', { metadata: { labels: { watched: null } } });
    await merge('a', { data: { x: '3' } });
    await client.delete(ConfigMap, { namespace, name: 'a' });
    await make('b', { labels: { watched: 'yes' } });
    await shows(seen, ['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED b']);
    // As it was when it was last selected, at the version that took it away.
    expect(seen[2]?.object).toMatchObject({
      metadata: { labels: { watched: 'yes' }, resourceVersion: metadata.resourceVersion },
      data: { x: '2' },
    });
  });
  test('a deletion that waits for a finalizer is a change first', async () => {
    const seen = watch(await nowAt());
    await make('a', { finalizers: ['example.io/one'] });
    await client.delete(ConfigMap, { namespace, name: 'a' });
    await merge('a', { metadata: { finalizers: null } });
    await shows(seen, ['ADDED a', 'MODIFIED a', 'DELETED a']);
    expect(seen[1]?.object.metadata).toHaveProperty('deletionTimestamp');
  });
  test('shows no write that changes nothing', async () => {
    await make('a');
    const seen = watch(await nowAt());
    await merge('a', { metadata: { labels: {} } });
    await make('b');
    await shows(seen, ['ADDED b']);
  });
  test('of one namespace shows nothing of another', async () => {
    const elsewhere = await subject().namespace();
    const seen = watch(await nowAt());
    await client.create(ConfigMap, configMap(elsewhere, 'a'));
    await make('b');
    await shows(seen, ['ADDED b']);
  });
  test('of metadata shows no more', async () => {
    const seen = watch(await nowAt(), { metadataOnly: true });
    await client.create(ConfigMap, configMap(namespace, 'a', { x: '1' }));
    await shows(seen, ['ADDED a']);
    expect(seen[0]?.object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(seen[0]?.object).not.toHaveProperty('data');
  });
  test('from a version that is remembered no longer ends with an error that says so', async () => {
    const { signal } = new AbortController();
    const first = async () => {
      for await (const event of events(Dataset, { namespace, resourceVersion: '1', timeoutSeconds: 30, signal })) return event;
      return undefined;
    };
    expect(await refusal(first())).toMatchObject(refused(410, 'Expired', /too old resource version/));
  });
  test('that is quiet gets a bookmark, and can be resumed from there', async () => {
    const from = await nowAt();
    const elsewhere = await subject().namespace();
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const seen: WatchEvent[] = [];
    const begun = Promise.withResolvers<void>();
    const options = { namespace, resourceVersion: from, timeoutSeconds: 6, signal: stop.signal, onHeard: begun.resolve };
    void (async () => {
      for await (const event of events(ConfigMap, options)) seen.push(event);
    })();
    await begun.promise;
    // Not of its namespace.
    const { metadata } = await client.create(ConfigMap, configMap(elsewhere, 'a'));
    const bookmark = await subject().eventually(async () => {
      if (seen.length === 0) subject().bookmark(ConfigMap);
      const found = seen.find(({ type }) => type === 'BOOKMARK');
      expect(found).toBeDefined();
      return found as WatchEvent;
    });
    expect(seen.map(({ type }) => type)).toEqual(['BOOKMARK']);
    expect(bookmark.object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(Number(bookmark.object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(metadata.resourceVersion));
    await make('b');
    await shows(watch(bookmark.object.metadata.resourceVersion ?? ''), ['ADDED b']);
  });
  test('of a kind is possible as soon as its definition comes, and ends when that goes', async () => {
    const plural = unique('guests');
    const type: ResourceType = { group: 'late.example', version: 'v1', plural, kind: `Guest${plural.slice(7)}`, namespaced: true };
    expect(await refusal(client.list(type, { namespace }))).toMatchObject({ status: 404 });
    await subject().install(type);
    const { resourceVersion } = await subject().eventually(() => client.list(type, { namespace }));
    const seen: string[] = [];
    const { signal } = new AbortController();
    const ended = (async () => {
      for await (const { type: is, object } of events(type, { namespace, resourceVersion, timeoutSeconds: 120, signal }))
        if (is !== 'BOOKMARK') seen.push(`${is} ${object.metadata.name}`);
      return 'ended';
    })();
    await client.create(type, { apiVersion: 'late.example/v1', kind: type.kind, metadata: { namespace, name: 'g' } });
    await subject().eventually(async () => expect(seen).toEqual(['ADDED g']));
    await subject().uninstall(type);
    expect(await ended).toBe('ended');
    expect(seen).toEqual(['ADDED g', 'DELETED g']);
    await subject().eventually(async () => expect(await refusal(client.list(type, { namespace }))).toMatchObject({ status: 404 }));
  });
  test('of a kind that is not installed is not found', async () => {
    const type = { group: 'absent.example', version: 'v1', plural: 'ghosts', kind: 'Ghost', namespaced: true };
    const { signal } = new AbortController();
    const first = async () => {
      for await (const event of client.watch(type, { resourceVersion: '1', timeoutSeconds: 5, signal })) return event;
      return undefined;
    };
    expect(await refusal(first())).toMatchObject({ status: 404 });
  });
}
