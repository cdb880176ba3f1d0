import { afterEach, expect, test } from 'vitest';
import { runtimes } from '../../../../runtimes/_all.gen.ts';
import { createClient } from '../../../../src/kube/client/kube-client.ts';
import { silent } from '../../../../src/kube/types.ts';
import { createStore, type Store } from '../../../../src/reconciler/kubernetes/store/store.ts';
import { until } from '../../../support/manual-clock.ts';
import { json, lines, type ScriptedServer, type Step, scriptedServer, text } from '../../../support/scripted-server.ts';

const empty = json(200, { metadata: { resourceVersion: '5' }, items: [] });
const listed = (...items: readonly object[]) => json(200, { metadata: { resourceVersion: '5' }, items });
const unknown = text(404, '404 page not found\n');
const runtime = { metadata: { name: 'demo', namespace: 'ml', uid: 'u', resourceVersion: '4' }, spec: {} };

let server: ScriptedServer;
let store: Store;
let keys: string[];
afterEach(async () => {
  store.stop();
  await server.close();
});

/** An API server's answer for each collection, by plural; all others are empty. */
async function start(says: Readonly<Record<string, () => Step>>): Promise<void> {
  server = await scriptedServer([], 0, ({ path }) => {
    if (path.includes('watch=true')) return lines();
    const plural = new URL(path, 'http://server').pathname.split('/').at(-1) ?? '';
    return says[plural]?.() ?? empty;
  });
  keys = [];
  const onKey = ({ namespace, name }: { namespace: string; name: string }) => void keys.push(`${namespace}/${name}`);
  const client = createClient({ server: server.url }, { fieldManager: 'sluice' });
  store = createStore({ client, runtimes, onKey, onGone() {}, onPlacement() {}, log: silent });
}
const synced = () => Promise.race([store.synced.then(() => true), askedTwice().then(() => false)]);
const listsOf = (plural: string) => server.requests.filter(({ path }) => path.includes(`/${plural}?limit`)).length;
const askedTwice = () => until(() => listsOf('datasets') >= 2, 'the server was to be asked for Datasets again');

test('the store is synced though the CRD of a runtime and of its profiles is not installed', async () => {
  await start({ thinruntimes: () => unknown, thinruntimeprofiles: () => unknown });
  expect(await synced()).toBe(true);
});

test('a kind is served as soon as its CRD comes', async () => {
  let isInstalled = false;
  await start({ thinruntimes: () => (isInstalled ? listed(runtime) : unknown) });
  await store.synced;
  expect([...store.allRuntimes()]).toEqual([]);
  isInstalled = true;
  await until(() => keys.length > 0, 'no key was added for the runtime');
  expect(keys).toEqual(['ml/demo']);
  expect(store.runtimes({ namespace: 'ml', name: 'demo' }).map(({ object }) => object.metadata.uid)).toEqual(['u']);
});

test('without the CRD of Datasets the store is not synced', async () => {
  await start({ datasets: () => unknown });
  expect(await synced()).toBe(false);
});
