import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { ClaimFact, Needs, ReferenceFact, Runtime, RuntimeInput } from '../../src/constructs/index.ts';
import type { KubeClient } from '../../src/kube/contract.ts';
import { ApiError } from '../../src/kube/errors.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { type Answers, createLookups, gatherFacts } from '../../src/reconciler/kubernetes/plans/facts.ts';
import { exampleInput } from './worlds.ts';

const asking = (needs: (input: RuntimeInput<unknown>) => Needs): Runtime =>
  ({ needs: vi.fn(needs), resource: { kind: 'ThinRuntime' } }) as unknown as Runtime;
const secrets: Record<string, Record<string, string>> = { here: { k: 'dg==' } };
// The cast: nobody here looks inside.
const reference = { volume: {} } as ReferenceFact;
const claim: ClaimFact = { uid: 'c', volume: 'v', mountOptions: [] };
const answers = (more: Partial<Answers> = {}): Answers => ({
  port: () => 24000,
  secret: async ({ name, namespace, inline }) => {
    const data = secrets[namespace ? `${namespace}/${name}` : name];
    return data ? { data: inline ? data : {} } : { missing: true, retryMs: 700 };
  },
  claim: async () => claim,
  object: (_, name) => (name === 'there' ? { spec: {} } : undefined),
  keys: async () => ['a', 'b'],
  pods: (role) => [{ name: `${role}-0`, ip: '10.0.0.1', node: 'n' }],
  reference: async () => reference,
  ...more,
});
const gather = (needs: (input: RuntimeInput<unknown>) => Needs, more: Partial<Answers> = {}) =>
  gatherFacts(asking(needs), exampleInput(), answers(more));

describe('gathering facts', () => {
  test('asks nothing of nobody', async () => {
    const runtime = asking(() => ({}));
    expect(await gatherFacts(runtime, exampleInput(), answers())).toEqual({
      facts: { ports: {}, secrets: {}, claims: {}, objects: {}, configMaps: {}, pods: {} },
      missingSecrets: [],
    });
    expect(runtime.needs).toHaveBeenCalledTimes(1);
  });
  test('has an answer of every kind', async () => {
    const needs: Needs = {
      ports: [{ name: 'p', range: [1, 2], in: 'worker', portName: 'p' }],
      claims: ['c'],
      secrets: [{ name: 'here', inline: true }],
      objects: [{ kind: 'Profile', name: 'there' }],
      configMaps: ['m'],
      pods: ['worker'],
      reference: { namespace: 'ml', name: 'other' },
    };
    expect(await gather(() => needs, { fuse: { image: 'i', generation: 1 } })).toMatchObject({
      facts: {
        ports: { p: 24000 },
        claims: { c: claim },
        reference,
        secrets: { here: { k: 'dg==' } },
        objects: { 'Profile/there': { spec: {} } },
        fuse: { image: 'i', generation: 1 },
      },
    });
  });
  test('asks again with each answer, until nothing new is asked', async () => {
    const secret = vi.fn(answers().secret);
    const needs = ({ facts }: RuntimeInput<unknown>): Needs => ({
      objects: [{ kind: 'Profile', name: 'there' }],
      ...(facts.objects['Profile/there'] ? { secrets: [{ name: 'here' }] } : {}),
    });
    expect(await gather(needs, { secret })).toMatchObject({ missingSecrets: [] });
    expect(secret).toHaveBeenCalledTimes(1);
  });
  test('ends with a runtime that never has enough', async () => {
    let n = 0;
    expect(await gather(() => ({ claims: [`c${n++}`] }))).toHaveProperty('facts');
    expect(n).toBeLessThan(10);
  });
  test('takes no contents of Secrets that are only to be there', async () =>
    expect(await gather(() => ({ secrets: [{ name: 'here' }] }))).toMatchObject({ facts: { secrets: {} } }));
  test('names missing Secrets, and when to look again', async () =>
    expect(await gather(() => ({ secrets: [{ name: 'a' }, { name: 'here' }, { name: 'b' }] }))).toMatchObject({
      missingSecrets: [{ name: 'a' }, { name: 'b' }],
      secretRetryMs: 700,
    }));
  test('cannot go on without the contents of a Secret', async () =>
    expect(await gather(() => ({ secrets: [{ name: 's', namespace: 'other', inline: true }] }))).toEqual({
      reason: 'SecretNotFound',
      message: 'waiting for Secret other/s',
      retryMs: 700,
    }));
  test('believes a Secret to be there where it is told so', async () =>
    expect(await gather(() => ({ secrets: [{ name: 'a' }] }), { secret: async () => 'assumed' })).toMatchObject({ missingSecrets: [] }));
  test.each<[string, Needs, Partial<Answers>]>([
    ['an object that does not exist', { objects: [{ kind: 'Profile', name: 'p' }] }, {}],
    ['a claim that is not bound', { claims: ['c'] }, { claim: async () => ({ reason: 'ClaimNotBound', message: 'no' }) }],
    [
      'a port that is not left',
      { ports: [{ name: 'p', range: [1, 1], in: 'worker', portName: 'p' }] },
      { port: () => ({ reason: 'PortsExhausted', message: 'no' }) },
    ],
  ])('is held by %s', async (_, needs, more) =>
    expect(await gather(() => needs, more)).toMatchObject({ reason: /NotFound|NotBound|Exhausted/, message: expect.any(String) }),
  );
});

describe('looking up', () => {
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
    lookups = createLookups({ get } as unknown as KubeClient, () => clock);
  });
  const secret = (more: object = {}, asker = runtime) => lookups.secret('ml', { name: 's', ...more }, asker);

  test('a Secret is asked for once', async () => {
    objects['Secret/ml/s'] = { data: { k: 'dg==' } };
    await secret();
    expect(await secret()).toEqual({ data: {} });
    expect(reads).toHaveLength(1);
  });
  test('a Secret that many runtimes name is asked for once, while that is fresh', async () => {
    objects['Secret/ml/s'] = {};
    await Promise.all(['a', 'b', 'c'].map((uid) => secret({}, { uid, generations: '1/1' })));
    expect(reads).toHaveLength(1);
    clock += 5001;
    expect(await secret()).toEqual({ data: {} });
    expect(reads).toHaveLength(2);
  });
  test('a Secret that was missing for one runtime is asked for again for the next', async () => {
    expect(await secret()).toMatchObject({ missing: true });
    objects['Secret/ml/s'] = {};
    expect(await secret({}, { uid: 'other', generations: '1/1' })).toEqual({ data: {} });
  });
  test('a Secret whose contents are needed is given as it is stored', async () => {
    objects['Secret/other/s'] = { data: { k: 'dg==' } };
    expect(await secret({ inline: true, namespace: 'other' })).toEqual({ data: { k: 'dg==' } });
  });
  test('a Secret whose contents are needed is read again, but not twice in a second', async () => {
    objects['Secret/ml/s'] = { data: { k: 'b2xk' } };
    await secret({ inline: true });
    objects['Secret/ml/s'] = { data: { k: 'bmV3' } };
    clock += 900;
    expect(await secret({ inline: true })).toEqual({ data: { k: 'b2xk' } });
    clock += 100;
    expect(await secret({ inline: true })).toEqual({ data: { k: 'bmV3' } });
  });
  test('a Secret whose contents are needed is missed when it goes', async () => {
    objects['Secret/ml/s'] = { data: { k: 'b2xk' } };
    await secret({ inline: true });
    delete objects['Secret/ml/s'];
    clock += 60_000;
    expect(await secret({ inline: true })).toEqual({ missing: true, retryMs: 500 });
  });
  test('a Secret is asked for anew when the specs change', async () => {
    objects['Secret/ml/s'] = {};
    await secret();
    await secret({}, { uid: 'u', generations: '2/1' });
    expect(reads).toHaveLength(2);
  });
  test('a missing Secret is asked for again with back-off, and not before, however often we look', async () => {
    const asked: number[] = [];
    for (; clock < 61_000; clock += 100) {
      const before = reads.length;
      const state = await secret();
      expect(state).toMatchObject({ missing: true });
      if (reads.length > before) asked.push(clock - 1000);
    }
    expect(asked).toEqual([0, 500, 1500, 3500, 7500, 15_500, 31_500]);
  });
  test('who looks at a missing Secret in between is told how long it still takes', async () => {
    await secret();
    clock += 400;
    expect(await secret()).toEqual({ missing: true, retryMs: 100 });
  });
  test('a Secret that comes is found', async () => {
    await secret();
    objects['Secret/ml/s'] = {};
    clock += 500;
    expect(await secret()).toEqual({ data: {} });
  });
  test('an error is no answer', async () => {
    objects['Secret/ml/s'] = new ApiError({ method: 'GET', path: 's' }, 403, 'forbidden');
    await expect(secret()).rejects.toThrow('forbidden');
    objects['Secret/ml/s'] = {};
    expect(await secret()).toEqual({ data: {} });
  });
  test('a runtime that is gone is forgotten', async () => {
    objects['Secret/ml/s'] = {};
    await secret();
    lookups.forget('u');
    await secret();
    expect(reads).toHaveLength(2);
  });

  test('a claim needs a volume that it is bound to', async () => {
    expect(await lookups.claim('ml', 'c', runtime)).toEqual({
      reason: 'ClaimNotBound',
      message: 'persistent volume claim c not found',
      retryMs: 500,
    });
    objects['PersistentVolumeClaim/ml/c'] = { spec: { volumeName: 'v' }, status: { phase: 'Pending' } };
    clock += 500;
    expect(await lookups.claim('ml', 'c', runtime)).toMatchObject({ message: 'persistent volume claim c not bounded yet' });
    objects['PersistentVolumeClaim/ml/c'] = { spec: { volumeName: 'v' }, status: { phase: 'Bound' } };
    clock += 1000;
    objects['PersistentVolume//v'] = {
      spec: { csi: { driver: 'd' } },
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
  test('of a claim it is known whom its label names, and what was written since', async () => {
    objects['PersistentVolumeClaim/ml/c'] = {
      metadata: { name: 'c', labels: { 'fluid.io/managed-by': 'other' } },
      spec: { volumeName: 'v' },
      status: { phase: 'Bound' },
    };
    objects['PersistentVolume//v'] = { metadata: { name: 'v' }, spec: {} };
    expect(lookups.manager('u', 'c')).toBeUndefined();
    await lookups.claim('ml', 'c', runtime);
    expect(lookups.manager('u', 'c')).toBe('other');
    lookups.managed('u', 'c', 'demo');
    expect(lookups.manager('u', 'c')).toBe('demo');
  });
});
