import { beforeEach, describe, expect, test } from 'vitest';
import type { Manifest } from '../../../../src/api/index.ts';
import type { KubeClient } from '../../../../src/kube/contract.ts';
import { ApiError } from '../../../../src/kube/errors.ts';
import { type KubeObject, silent } from '../../../../src/kube/types.ts';
import { base64, fromBase64 } from '../../../../src/constructs/index.ts';
import { createApplier } from '../../../../src/reconciler/kubernetes/apply/apply.ts';
import { desiredObjectOf } from '../../../../src/planning/bindings.ts';
import type { Store } from '../../../../src/reconciler/kubernetes/store/store.ts';
import { openDataset, secret, thinRuntime } from '../../../support/objects.ts';
import { boundHarness, type Harness } from '../../harness.ts';

const owner = { uid: 'u', kind: 'ThinRuntime', namespace: 'ml', name: 'demo' };
const manifest = (password: string): Manifest => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'demo-fuse-conf', namespace: 'ml', labels: { 'data.fluid.io/owner-uid': 'u' } },
  type: 'Opaque',
  data: { 'config.json': password },
});

/** No Secret is watched. */
describe('a Secret of ours', () => {
  let clock: number;
  let there: KubeObject | undefined;
  let calls: string[];
  let failsOnce: boolean;
  let applier: ReturnType<typeof createApplier>;
  beforeEach(() => {
    clock = 10_000;
    there = undefined;
    calls = [];
    failsOnce = false;
    const now = (verb: string, object: KubeObject): KubeObject => {
      calls.push(verb);
      there = { ...object, metadata: { ...object.metadata, uid: 's', resourceVersion: `${clock}` } };
      return there;
    };
    // The methods that are used.
    const client = {
      get: async () => {
        calls.push('get');
        if (!there) throw new ApiError({ method: 'GET', path: 's' }, 404, 'not found');
        return there;
      },
      create: async (_: unknown, object: KubeObject) => now('create', object),
      apply: async (_: unknown, object: KubeObject) => {
        if (!failsOnce) return now('apply', object);
        failsOnce = false;
        throw new ApiError({ method: 'PATCH', path: 's' }, 500, 'not now');
      },
    } as unknown as KubeClient;
    applier = createApplier(client, { created() {}, remember() {}, isOwner: () => false } as unknown as Store, silent, {
      monotonic: () => clock,
    });
  });
  const pass = (password = 'b2xk') => applier.apply(owner, [desiredObjectOf(manifest(password))], async () => {});

  test('that was deleted is created again by the next pass (A11)', async () => {
    await pass();
    there = undefined;
    clock += 60_000;
    expect(await pass()).toMatchObject({ created: ['Secret/demo-fuse-conf'], failed: [] });
    expect(there).toMatchObject({ data: { 'config.json': 'b2xk' } });
  });
  test('that another writer changed is repaired by the next pass (A11)', async () => {
    await pass();
    there = { ...there!, data: { 'config.json': 'ZXZpbA==' } };
    clock += 60_000;
    expect(await pass()).toMatchObject({ changed: ['Secret/demo-fuse-conf'] });
    expect(there).toMatchObject({ data: { 'config.json': 'b2xk' } });
  });
  test('that is as it should be costs one read a pass, and no write (A4, A11)', async () => {
    await pass();
    calls = [];
    clock += 60_000;
    await pass();
    expect(calls).toEqual(['get']);
  });
  test('is read once for the many passes of a set-up within a second (A11)', async () => {
    await pass();
    calls = [];
    clock += 500;
    await pass();
    expect(calls).toEqual([]);
  });
  test('is read again at the retry after a write that failed, within the same second (A11)', async () => {
    await pass();
    there = { ...there!, data: { 'config.json': 'ZXZpbA==' } };
    clock += 60_000;
    failsOnce = true;
    expect(await pass()).toMatchObject({ failed: [{ object: 'Secret/demo-fuse-conf' }] });
    clock += 50;
    expect(await pass()).toMatchObject({ changed: ['Secret/demo-fuse-conf'], failed: [] });
    expect(there).toMatchObject({ data: { 'config.json': 'b2xk' } });
  });
  test('whose source was rotated is written at once (A11)', async () => {
    await pass();
    expect(await pass('bmV3')).toMatchObject({ changed: ['Secret/demo-fuse-conf'] });
  });
});

describe('a Secret that is copied for a ThinRuntime', () => {
  const source = (password: string) => ({ ...secret('s', {}), data: { k: base64(password) } });
  const encryptOptions = [{ name: 'key', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }];
  const dataset = openDataset('demo', { mounts: [{ mountPoint: 's3://bucket', name: 'data', encryptOptions }] });
  const bound = () =>
    boundHarness([source('old'), dataset, thinRuntime('demo', { profileName: 'profile' })], {
      settings: { env: { THIN_FUSE_CONFIG_STORAGE: 'secret' } },
    });
  const copied = (at: Harness) =>
    fromBase64((at.get('Secret', 'demo-fuse-conf')?.['data'] as Record<string, string> | undefined)?.['config.json'] ?? '');

  test('follows its source within five minutes, though no watch reports the change', async () => {
    const at = await bound();
    expect(copied(at)).toContain('old');
    at.put(source('new'));
    await at.advance(300_000);
    expect(copied(at)).toContain('new');
  });
  test('is created again within five minutes after its deletion, and at once with any other change', async () => {
    const at = await bound();
    at.server.remove('Secret', 'ml', 'demo-fuse-conf');
    await at.advance(300_000);
    expect(copied(at)).toContain('old');
    at.server.remove('Secret', 'ml', 'demo-fuse-conf');
    at.put({ ...at.get('Dataset')!, metadata: { ...at.get('Dataset')!.metadata, labels: { touched: 'x' } } });
    await at.advance(1_000);
    expect(copied(at)).toContain('old');
  });
  test('costs two reads in five minutes, and no write', async () => {
    const at = await bound();
    await at.advance(300_000);
    expect(at.written()).toEqual([]);
    const reads = at.server.requestsThat({ verb: 'get' });
    expect(new Set(reads.map(({ kind }) => kind))).toEqual(new Set(['Secret']));
    expect(reads.length).toBeLessThanOrEqual(4);
  });
});

test('a runtime that copies no Secret gets no pass without an event', async () => {
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
  await at.advance(3_600_000);
  expect(at.passes).toEqual([]);
});
