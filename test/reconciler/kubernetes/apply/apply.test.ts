import { describe, expect, onTestFinished, test } from 'vitest';
import thin from '../../../../runtimes/thin/index.ts';
import { Dataset, label, type Manifest } from '../../../../src/api/index.ts';
import type { KubeClient } from '../../../../src/kube/contract.ts';
import { ApiError } from '../../../../src/kube/errors.ts';
import { type KubeObject, silent } from '../../../../src/kube/types.ts';
import { createApplier } from '../../../../src/reconciler/kubernetes/apply/apply.ts';
import { typeOf } from '../../../../src/planning/kinds.ts';
import { desiredObjectOf } from '../../../../src/planning/bindings.ts';
import type { Owner } from '../../../../src/planning/owner.ts';
import { createStore } from '../../../../src/reconciler/kubernetes/store/store.ts';
import { createApiServer, WRITES } from '../../../../src/api-server/index.ts';

const owner = { uid: 'uid-of-demo', kind: 'ThinRuntime', namespace: 'ml', name: 'demo' };
const OTHERS = { [label.owner]: 'uid-of-another' };

const config = (name: string, value = 'rendered'): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'ml', labels: { [label.owner]: owner.uid } },
  data: { key: value },
});
const workers = (serviceName: string, replicas: number): Manifest => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'workers', namespace: 'ml', labels: { [label.owner]: owner.uid } },
  spec: {
    serviceName,
    replicas,
    selector: { matchLabels: { app: 'x' } },
    template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'example.io/worker:v1' }] } },
  },
});

/** An applier with a store that watches an API server in memory. */
async function applying() {
  const server = createApiServer({ kinds: [Dataset, thin.resource, ...thin.companions].map(typeOf), namespaces: ['ml'] });
  const client = server.client({ fieldManager: 'sluice' });
  const store = createStore({ client, runtimes: [thin], onKey() {}, onGone() {}, onPlacement() {}, log: silent });
  onTestFinished(store.stop);
  await store.synced;
  const settle = async () => {
    for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  /** Desired objects are made once, as for a runtime that is planned once. Tests may give the API server other answers. */
  const applierOf = (more: Partial<KubeClient> = {}) => createApplier({ ...client, ...more }, store, silent, { monotonic: () => 0 });
  let applier = applierOf();
  let confirmations = 0;
  const confirmed = async () => void confirmations++;
  return {
    server,
    settle,
    client,
    use: (more: Partial<KubeClient>) => void (applier = applierOf(more)),
    async apply(desiredObjects: readonly ReturnType<typeof desiredObjectOf>[], confirm = confirmed, as: Owner = owner) {
      const report = await applier.apply(as, desiredObjects, confirm);
      await settle();
      return report;
    },
    prune: (keep: readonly Manifest[], confirm = confirmed) => applier.prune(owner, keep.map(desiredObjectOf), confirm),
    confirmations: () => confirmations,
    put: ({ metadata, ...rest }: Manifest, more: object = {}) => server.put({ ...rest, metadata: { ...metadata, ...more } } as KubeObject),
    get: (kind: string, name: string) => server.get(kind, 'ml', name),
    written: () => server.requestsThat({ verb: WRITES }).map(({ verb, kind, name, status }) => `${verb} ${kind}/${name} ${status}`),
  };
}
const conflict = async () => Promise.reject(new ApiError({ method: 'GET', path: 'owner' }, 409, 'changed unseen'));

describe('applying', () => {
  test('writes nothing when nothing differs, also in a process that knows nothing yet (A4)', async () => {
    const at = await applying();
    const desiredObjects = () => [config('a'), workers('x', 1)].map(desiredObjectOf);
    const planned = desiredObjects();
    expect((await at.apply(planned)).created).toEqual(['ConfigMap/a', 'StatefulSet/workers']);
    const before = at.written();
    await at.apply(planned);
    at.use({});
    await at.apply(desiredObjects());
    expect(at.written()).toEqual(before);
  });

  test('leaves alone what another runtime has, whether or not the store has seen it (A1, A2)', async () => {
    const at = await applying();
    const theirs = { labels: OTHERS, ownerReferences: [{ apiVersion: 'v1', kind: 'ThinRuntime', name: 'theirs', uid: 'theirs' }] };
    at.put(config('seen', 'theirs'), theirs);
    await at.settle();
    at.server.hold('ConfigMap');
    at.put(config('unseen', 'theirs'), theirs);
    const { failed } = await at.apply([config('seen'), config('unseen')].map(desiredObjectOf));
    expect(failed.map(({ reason, object }) => `${reason} ${object}`)).toEqual(['NameTaken ConfigMap/seen', 'NameTaken ConfigMap/unseen']);
    for (const name of ['seen', 'unseen']) expect(at.get('ConfigMap', name)?.['data']).toEqual({ key: 'theirs' });
  });

  test('replaces what has the label of nobody and no owner, since a tool has restored it from another cluster (A1)', async () => {
    const at = await applying();
    at.put(config('seen', 'theirs'), { labels: OTHERS });
    await at.settle();
    const { failed, created } = await at.apply([desiredObjectOf(config('seen'))]);
    expect({ failed, created }).toEqual({ failed: [], created: ['ConfigMap/seen'] });
    expect(at.get('ConfigMap', 'seen')?.['data']).not.toEqual({ key: 'theirs' });
  });

  test('does not write the successor of an object that it has read (A3)', async () => {
    const at = await applying();
    at.put(config('a', 'edited'));
    await at.settle();
    at.use({
      async get(type, where, options) {
        const read = await at.client.get(type, where, options);
        at.server.remove('ConfigMap', 'ml', 'a');
        at.put(config('a', 'theirs'), { labels: OTHERS });
        return read;
      },
    });
    expect((await at.apply([desiredObjectOf(config('a'))])).failed).toMatchObject([
      { object: 'ConfigMap/a', message: expect.stringContaining('metadata.uid') },
    ]);
    expect(at.get('ConfigMap', 'a')).toMatchObject({ metadata: { labels: OTHERS }, data: { key: 'theirs' } });
  });

  test('creates what it created before only once its owner is confirmed (A6)', async () => {
    const at = await applying();
    const planned = [desiredObjectOf(config('a'))];
    await at.apply(planned);
    expect(at.confirmations()).toBe(0);
    at.server.remove('ConfigMap', 'ml', 'a');
    await at.settle();
    await expect(at.apply(planned, conflict)).rejects.toThrow('changed unseen');
    expect(at.get('ConfigMap', 'a')).toBeUndefined();
    expect((await at.apply(planned)).created).toEqual(['ConfigMap/a']);
    expect(at.confirmations()).toBe(1);
  });

  test('creates what is deleted while it writes another object only once its owner is confirmed (A6)', async () => {
    const at = await applying();
    const planned = [desiredObjectOf(config('a')), desiredObjectOf(config('b'))];
    await at.apply(planned);
    at.put(config('a', 'theirs'));
    await at.settle();
    at.use({
      async apply(...request) {
        at.server.remove('ConfigMap', 'ml', 'b');
        await at.settle();
        return at.client.apply(...request);
      },
    });
    await expect(at.apply(planned, conflict)).rejects.toThrow('changed unseen');
    expect(at.get('ConfigMap', 'b')).toBeUndefined();
  });

  test('creates what it created before only once its owner is confirmed, although the answer was lost (A6)', async () => {
    const at = await applying();
    const planned = [desiredObjectOf(config('a'))];
    at.use({
      async create(...request) {
        await at.client.create(...request);
        throw new Error('the connection was reset');
      },
    });
    expect((await at.apply(planned)).failed).toMatchObject([{ object: 'ConfigMap/a' }]);
    expect(at.get('ConfigMap', 'a')).toBeDefined();
    at.server.remove('ConfigMap', 'ml', 'a');
    await at.settle();
    await expect(at.apply(planned, conflict)).rejects.toThrow('changed unseen');
    expect(at.get('ConfigMap', 'a')).toBeUndefined();
  });

  test('accepts the value that admission set, also once another writer is the manager of the field (A10)', async () => {
    const at = await applying();
    at.server.rules.mutate({ verb: ['create', 'apply'], kind: 'ConfigMap' }, (object) => ({ ...object, data: { key: 'admitted' } }));
    const planned = [desiredObjectOf(config('a'))];
    await at.apply(planned);
    // By fields alone it is no longer ours, and has to be compared.
    for (const value of ['edited', 'admitted']) at.put(config('a', value), at.get('ConfigMap', 'a')!.metadata);
    await at.settle();
    expect(await at.apply(planned)).toMatchObject({ changed: [], failed: [] });
    expect(at.written()).toEqual(['create ConfigMap/a 201']);
    at.put(config('a', 'edited'), at.get('ConfigMap', 'a')!.metadata);
    await at.settle();
    expect(await at.apply(planned)).toMatchObject({ changed: ['ConfigMap/a'], failed: [] });
  });

  test('does not delete the successor of an object that a predecessor left (A5)', async () => {
    const at = await applying();
    const reference = { apiVersion: 'data.fluid.io/v1alpha1', kind: owner.kind, name: owner.name, uid: 'uid-of-before', controller: true };
    at.put(config('a', 'left'), {
      labels: { [label.owner]: reference.uid },
      ownerReferences: [reference],
      creationTimestamp: '2026-01-01T00:00:00Z',
    });
    await at.settle();
    at.server.hold('ConfigMap');
    at.server.remove('ConfigMap', 'ml', 'a');
    at.put(config('a', 'theirs'), { labels: OTHERS });
    const { failed } = await at.apply([desiredObjectOf(config('a'))], undefined, { ...owner, creationTimestamp: '2026-01-02T00:00:00Z' });
    expect(failed).toMatchObject([{ object: 'ConfigMap/a' }]);
    expect(at.confirmations()).toBe(1);
    expect(at.get('ConfigMap', 'a')).toMatchObject({ metadata: { labels: OTHERS }, data: { key: 'theirs' } });
  });

  test('goes on after an object that fails, and reports it (A7)', async () => {
    const at = await applying();
    at.server.rules.refuse({ verb: 'create', name: 'b' }, { status: 403, reason: 'Forbidden', message: 'not here' });
    const report = await at.apply(['a', 'b', 'c'].map((name) => desiredObjectOf(config(name))));
    expect(report.created).toEqual(['ConfigMap/a', 'ConfigMap/c']);
    expect(report.failed).toEqual([{ reason: 'ApplyFailed', object: 'ConfigMap/b', message: expect.stringContaining('not here') }]);
  });

  test('reports a change that Kubernetes does not allow each time, and applies the others once (A8)', async () => {
    const at = await applying();
    await at.apply([desiredObjectOf(workers('before', 1))]);
    const edited = [desiredObjectOf(workers('after', 2))];
    const immutable = [{ object: 'StatefulSet/workers', path: 'spec.serviceName', live: 'before', desired: 'after' }];
    expect(await at.apply(edited)).toMatchObject({ changed: ['StatefulSet/workers'], immutable, failed: [] });
    expect(at.get('StatefulSet', 'workers')?.['spec']).toMatchObject({ serviceName: 'before', replicas: 2 });
    expect(await at.apply(edited)).toMatchObject({ changed: [], immutable, failed: [] });
  });
});

describe('pruning', () => {
  test('deletes what the owner has and nothing else: not what is kept, of another owner, or being deleted already (A13)', async () => {
    const at = await applying();
    at.put(config('kept'));
    at.put(config('theirs'), { labels: OTHERS });
    at.put(config('ending'), { finalizers: ['example.io/held'] });
    at.server.delete('ConfigMap', 'ml', 'ending');
    at.put(config('old'));
    await at.settle();
    const kept = [{ object: 'ConfigMap/ending', finalizers: ['example.io/held'] }];
    expect(await at.prune([config('kept')])).toEqual({ pruned: ['ConfigMap/old'], failed: [], kept });
    expect(at.written()).toEqual(['delete ConfigMap/old 200']);
  });

  test('deletes nothing before its owner is confirmed, and confirms nothing when there is nothing to delete (A5)', async () => {
    const at = await applying();
    at.put(config('old'));
    await at.settle();
    await expect(at.prune([], conflict)).rejects.toThrow('changed unseen');
    expect(at.get('ConfigMap', 'old')).toBeDefined();
    await at.prune([config('old')]);
    expect(at.confirmations()).toBe(0);
  });

  test('does not delete the successor of an object that the store shows (A5)', async () => {
    const at = await applying();
    at.put(config('old'));
    await at.settle();
    at.server.hold('ConfigMap');
    at.server.remove('ConfigMap', 'ml', 'old');
    at.put(config('old', 'theirs'), { labels: OTHERS });
    expect((await at.prune([])).failed).toMatchObject([{ object: 'ConfigMap/old' }]);
    expect(at.get('ConfigMap', 'old')).toMatchObject({ data: { key: 'theirs' } });
  });

  test('goes on after an object that cannot be deleted, and reports it (A7)', async () => {
    const at = await applying();
    for (const name of ['a', 'b']) at.put(config(name));
    await at.settle();
    at.server.rules.refuse({ verb: 'delete', name: 'a' }, { status: 403, reason: 'Forbidden', message: 'not here' });
    expect(await at.prune([])).toMatchObject({ pruned: ['ConfigMap/b'], failed: [{ reason: 'DeleteFailed', object: 'ConfigMap/a' }] });
  });
});
