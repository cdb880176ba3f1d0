import { beforeEach, describe, expect, test } from 'vitest';
import type { KubeClient } from '../../../../src/kube/contract.ts';
import { ApiError } from '../../../../src/kube/errors.ts';
import type { KubeObject } from '../../../../src/kube/types.ts';
import { createLookups } from '../../../../src/reconciler/kubernetes/plans/lookups.ts';

const WALL = Date.parse('2025-01-31T12:00:00Z');

describe('a lookup:', () => {
  const runtime = { uid: 'u', generations: '1/1' };
  let clock: number;
  let objects: Record<string, object>;
  let reads: string[];
  let lookups: ReturnType<typeof createLookups>;
  beforeEach(() => {
    clock = 1000;
    objects = {};
    reads = [];
    const get = async ({ kind }: { kind: string }, { namespace = '', name }: { namespace?: string; name: string }): Promise<KubeObject> => {
      const path = `${kind}/${namespace}/${name}`;
      reads.push(path);
      const object = objects[path];
      if (object instanceof Error) throw object;
      if (!object) throw new ApiError({ method: 'GET', path }, 404, 'not found');
      return { apiVersion: 'v1', kind, metadata: { name, uid: `uid-of-${name}` }, ...object };
    };
    // The one method that is used.
    lookups = createLookups({ get } as unknown as KubeClient, { monotonic: () => clock, wall: () => WALL + clock });
  });
  const secret = (more: object = {}, asker = runtime) => lookups.secret('ml', { name: 's', ...more }, asker);

  test('a Secret is read once for the same specs', async () => {
    objects['Secret/ml/s'] = { data: { k: 'dg==' } };
    await secret();
    expect(await secret()).toEqual({ data: {} });
    expect(reads).toHaveLength(1);
  });
  test('a Secret that many runtimes name is read once in five seconds', async () => {
    objects['Secret/ml/s'] = {};
    await Promise.all(['a', 'b', 'c'].map((uid) => secret({}, { uid, generations: '1/1' })));
    expect(reads).toHaveLength(1);
    clock += 5001;
    expect(await secret()).toEqual({ data: {} });
    expect(reads).toHaveLength(2);
  });
  test('a Secret that was read before the specs of a runtime came to be is read again for it', async () => {
    objects['Secret/ml/s'] = {};
    await secret();
    const later = (uid: string, since: number) => ({ uid, generations: '1/1', since });
    expect(await secret({}, later('same second', WALL + 1000))).toEqual({ data: {} });
    expect(reads).toHaveLength(1);
    delete objects['Secret/ml/s'];
    clock += 1500;
    expect(await secret({}, later('created since', WALL + 2000))).toMatchObject({ missing: true });
    objects['Secret/ml/s'] = {};
    await secret({}, later('next', WALL + 2000));
    for (const uid of ['edited', 'edited too']) await secret({}, later(uid, Infinity));
    for (const uid of ['without a time', 'and another']) await secret({}, later(uid, Number.NaN));
    expect(reads).toHaveLength(7);
  });
  test('a Secret that was missing for one runtime is read again for the next', async () => {
    expect(await secret()).toMatchObject({ missing: true });
    objects['Secret/ml/s'] = {};
    expect(await secret({}, { uid: 'other', generations: '1/1' })).toEqual({ data: {} });
  });
  test('a Secret whose contents are needed is returned as it is stored', async () => {
    objects['Secret/other/s'] = { data: { k: 'dg==' } };
    expect(await secret({ inline: true, namespace: 'other' })).toEqual({ data: { k: 'dg==' } });
  });
  test('a Secret whose contents are needed is read again after a second, and not before', async () => {
    objects['Secret/ml/s'] = { data: { k: 'b2xk' } };
    await secret({ inline: true });
    objects['Secret/ml/s'] = { data: { k: 'bmV3' } };
    clock += 900;
    expect(await secret({ inline: true })).toEqual({ data: { k: 'b2xk' } });
    clock += 100;
    expect(await secret({ inline: true })).toEqual({ data: { k: 'bmV3' } });
  });
  test('a Secret whose contents are needed is missing once it was deleted', async () => {
    objects['Secret/ml/s'] = { data: { k: 'b2xk' } };
    await secret({ inline: true });
    delete objects['Secret/ml/s'];
    clock += 60_000;
    expect(await secret({ inline: true })).toEqual({ missing: true, retryMs: 500 });
  });
  test('a Secret is read again when the specs change', async () => {
    objects['Secret/ml/s'] = {};
    await secret();
    await secret({}, { uid: 'u', generations: '2/1' });
    expect(reads).toHaveLength(2);
  });
  test('a missing Secret is retried with back-off, however many passes ask for it', async () => {
    const asked: number[] = [];
    for (; clock < 61_000; clock += 100) {
      const before = reads.length;
      const state = await secret();
      expect(state).toMatchObject({ missing: true });
      if (reads.length > before) asked.push(clock - 1000);
    }
    expect(asked).toEqual([0, 500, 1500, 3500, 7500, 15_500, 31_500]);
  });
  test('a missing Secret says in between how long it is until the next try', async () => {
    await secret();
    clock += 400;
    expect(await secret()).toEqual({ missing: true, retryMs: 100 });
  });
  test('a Secret that is created later is found by the next try', async () => {
    await secret();
    objects['Secret/ml/s'] = {};
    clock += 500;
    expect(await secret()).toEqual({ data: {} });
  });
  test('an error is thrown, and not remembered as an answer', async () => {
    objects['Secret/ml/s'] = new ApiError({ method: 'GET', path: 's' }, 403, 'forbidden');
    await expect(secret()).rejects.toThrow('forbidden');
    objects['Secret/ml/s'] = {};
    expect(await secret()).toEqual({ data: {} });
  });
  test('of a runtime that was deleted nothing is remembered', async () => {
    objects['Secret/ml/s'] = {};
    await secret();
    lookups.forget('u');
    await secret();
    expect(reads).toHaveLength(2);
  });

  test('a claim is found once it is bound to a volume, and then read no more', async () => {
    expect(await lookups.claim('ml', 'c', runtime)).toEqual({
      reason: 'ClaimNotBound',
      message: 'persistent volume claim c not found',
      afterMs: 500,
    });
    objects['PersistentVolumeClaim/ml/c'] = { spec: { volumeName: 'v' }, status: { phase: 'Pending' } };
    clock += 500;
    expect(await lookups.claim('ml', 'c', runtime)).toMatchObject({ message: 'persistent volume claim c not bounded yet' });
    objects['PersistentVolumeClaim/ml/c'] = { spec: { volumeName: 'v' }, status: { phase: 'Bound' } };
    clock += 1000;
    objects['PersistentVolume//v'] = {
      spec: { csi: { driver: 'd' }, claimRef: { namespace: 'ml', name: 'c', uid: 'uid-of-other' } },
      metadata: { name: 'v' },
    };
    // The claim names a volume, and that volume names another claim: what a claim says must not lead to a volume of another tenant.
    expect(await lookups.claim('ml', 'c', runtime)).toMatchObject({ message: 'persistent volume claim c not bounded yet' });
    clock += 2000;
    objects['PersistentVolume//v'] = {
      spec: { csi: { driver: 'd' }, claimRef: { namespace: 'ml', name: 'c', uid: 'uid-of-c' } },
      metadata: { name: 'v', annotations: { 'volume.beta.kubernetes.io/mount-options': 'ro,vers=4' } },
    };
    expect(await lookups.claim('ml', 'c', runtime)).toEqual({
      uid: 'uid-of-c',
      volume: 'v',
      csi: { driver: 'd' },
      mountOptions: ['ro', 'vers=4'],
    });
    const before = reads.length;
    await lookups.claim('ml', 'c', runtime);
    expect(reads).toHaveLength(before);
  });
  test('the manager of a claim is what its label says, or what was written since', async () => {
    objects['PersistentVolumeClaim/ml/c'] = {
      metadata: { name: 'c', uid: 'uid-of-c', labels: { 'fluid.io/managed-by': 'other' } },
      spec: { volumeName: 'v' },
      status: { phase: 'Bound' },
    };
    objects['PersistentVolume//v'] = { metadata: { name: 'v' }, spec: { claimRef: { namespace: 'ml', name: 'c', uid: 'uid-of-c' } } };
    expect(lookups.manager('u', 'c')).toBeUndefined();
    await lookups.claim('ml', 'c', runtime);
    expect(lookups.manager('u', 'c')).toBe('other');
    lookups.managed('u', 'c', 'demo');
    expect(lookups.manager('u', 'c')).toBe('demo');
  });
});
