import { describe, expect, test, vi } from 'vitest';
import type { KubeObject } from '../../../../src/kube/types.ts';
import { createClaimUsers } from '../../../../src/reconciler/kubernetes/observe/claim-users.ts';
import { createApiServer } from '../../../../src/api-server/index.ts';
import { openDataset, reader, thinRuntime } from '../../../support/objects.ts';
import { boundHarness, harness } from '../../harness.ts';

const pod = (name: string, claim: string, phase = 'Running'): KubeObject => {
  const { metadata, ...rest } = reader(name, claim);
  return { ...rest, metadata: { ...metadata, namespace: 'ml' }, status: { phase } };
};
function scene(names: readonly string[] = []) {
  let now = 0;
  const server = createApiServer({ namespaces: ['ml'], now: () => now });
  for (const name of names) server.put(pod(name, 'demo'));
  const users = createClaimUsers(server.client(), { monotonic: () => now });
  const counted = (verb: 'list' | 'get') => server.requestsThat({ verb, kind: 'Pod' }).length;
  return {
    server,
    counted,
    users,
    /** Undefined: not known yet. */
    mounting: async (claim = 'demo') => {
      const found = await users.of('ml', claim);
      return 'mounting' in found ? found.mounting : undefined;
    },
    ended: async () => {
      const found = await users.of('ml', 'demo');
      return 'ended' in found ? found.ended.map(({ name }) => name) : undefined;
    },
    later: (ms: number) => {
      now += ms;
    },
  };
}

test('pods that name the claim are returned, ended ones apart, and those of another claim are not', async () => {
  const { server, mounting, ended } = scene(['a']);
  server.put(pod('b', 'other'));
  server.put(pod('c', 'demo', 'Succeeded'));
  server.put(pod('d', 'demo', 'Pending'));
  expect(await mounting()).toEqual(['a', 'd']);
  expect(await ended()).toEqual(['c']);
});

test('pods that read by a sidecar of their own are returned until they have ended', async () => {
  const { server, mounting, ended } = scene();
  const withSidecar = (name: string, phase: string): KubeObject => {
    const { metadata, ...rest } = pod(name, 'other', phase);
    return { ...rest, metadata: { ...metadata, labels: { 'dataset-name.sidecar.fluid.io/fluid-fuse-0': 'demo' } } };
  };
  server.put(withSidecar('a', 'Running'));
  server.put(withSidecar('b', 'Succeeded'));
  expect([await mounting(), await ended()]).toEqual([['a'], []]);
});

describe('what it costs', () => {
  test('a namespace of any size comes in pages', async () => {
    const { server, counted, mounting } = scene();
    for (let i = 0; i < 600; i++) server.put(pod(`app-${i}`, `claim-${i}`));
    expect(await mounting('claim-599')).toEqual(['app-599']);
    expect(counted('list')).toBe(4);
  });
  test('one list serves all who ask in a namespace', async () => {
    const { counted, mounting, later } = scene(['a']);
    await Promise.all(Array.from({ length: 100 }, (_, i) => mounting(`claim-${i}`)));
    later(1000);
    await Promise.all(Array.from({ length: 100 }, (_, i) => mounting(`claim-${i}`)));
    expect(counted('list')).toBe(1);
  });
  test('while a pod that was found is there, it alone is asked for', async () => {
    const { counted, mounting, later } = scene(['a', 'b']);
    for (let i = 0; i < 10; i++, later(2000)) expect(await mounting()).toEqual(['a', 'b']);
    expect([counted('list'), counted('get')]).toEqual([1, 9]);
  });
  test('a list that takes long is made the more seldom', async () => {
    const { server, counted, mounting, later } = scene();
    server.rules.add({ verb: 'list' }, { before: () => later(1000) });
    for (let i = 0; i < 19; i++, later(1000)) await mounting();
    expect(counted('list')).toBe(1);
    later(1000);
    await mounting();
    expect(counted('list')).toBe(2);
  });
});

describe('that no pod mounts a claim', () => {
  test('is never said by a list that was begun before the question', async () => {
    const { server, users, counted, mounting, later } = scene();
    server.rules.add({ verb: 'list', times: 1 }, { before: () => later(3000) });
    expect(await mounting('other')).toEqual([]);
    server.put(pod('a', 'demo'));
    later(2000);
    expect(await users.of('ml', 'demo')).toEqual({ askAgainMs: 55_000 });
    later(55_000);
    expect(await mounting()).toEqual(['a']);
    expect(counted('list')).toBe(2);
  });
  test('is not said by the list under way, and the next one begins after that', async () => {
    const { server, mounting, later } = scene();
    const held = server.rules.holdAnswers({ verb: 'list' });
    const first = mounting('other');
    await vi.waitUntil(() => held.waiting === 1);
    server.put(pod('a', 'demo'));
    expect(await mounting()).toBeUndefined();
    expect(held.waiting).toBe(1);
    held.release();
    expect(await first).toEqual([]);
    later(2000);
    expect(await mounting()).toEqual(['a']);
  });
  test('is said by one list to all who asked before it, also to those who come for the answer later', async () => {
    const { counted, mounting, later } = scene();
    await mounting('first');
    const claims = Array.from({ length: 100 }, (_, i) => `claim-${i}`);
    for (const claim of claims) expect(await mounting(claim)).toBeUndefined();
    later(2000);
    expect(await mounting('claim-0')).toEqual([]);
    later(5000);
    for (const claim of claims.slice(1)) expect(await mounting(claim)).toEqual([]);
    expect(counted('list')).toBe(2);
  });
  test('is listed again once the list is old', async () => {
    const { server, mounting, later } = scene();
    expect(await mounting()).toEqual([]);
    server.put(pod('a', 'demo'));
    later(1999);
    expect(await mounting()).toEqual([]);
    later(1);
    expect(await mounting()).toEqual(['a']);
  });
});

describe('what is found out', () => {
  test('that the last pod has gone', async () => {
    const { server, mounting, later } = scene(['a', 'b']);
    await mounting();
    server.remove('Pod', 'ml', 'a');
    later(2000);
    expect(await mounting()).toEqual(['b']);
    server.remove('Pod', 'ml', 'b');
    later(2000);
    expect(await mounting()).toEqual([]);
  });
  test('that a pod has ended', async () => {
    const { server, mounting, later } = scene(['a']);
    await mounting();
    server.put(pod('a', 'demo', 'Succeeded'));
    later(2000);
    expect(await mounting()).toEqual([]);
  });
  test('that another has taken its place, and not too early that none has', async () => {
    const { server, mounting, later } = scene(['a']);
    const slow = server.rules.add({ verb: 'list' }, { before: () => later(1000) });
    await mounting();
    slow.remove();
    server.put(pod('b', 'demo'));
    server.remove('Pod', 'ml', 'a');
    later(5000);
    expect(await mounting()).toBeUndefined();
    later(15_000);
    expect(await mounting()).toEqual(['b']);
  });
  test('after a minute shows all pods that were created meanwhile', async () => {
    const { server, mounting, later } = scene(['a']);
    await mounting();
    server.put(pod('b', 'demo'));
    later(60_000);
    expect(await mounting()).toEqual(['a', 'b']);
  });
  test('so too by a list for others, without which nothing is known of the claim', async () => {
    const { server, counted, mounting, later } = scene(['a']);
    await mounting();
    server.put(pod('b', 'demo'));
    later(50_000);
    await mounting('other');
    server.rules.refuse({ verb: 'list' });
    later(40_000);
    expect(await mounting()).toEqual(['a', 'b']);
    expect(counted('list')).toBe(2);
  });
  test('at any moment which pods mount a claim, while others of its namespace are asked about too', async () => {
    const { server, counted, mounting, later } = scene(['a']);
    server.put(pod('b', 'other'));
    expect([await mounting(), await mounting('other')]).toEqual([['a'], undefined]);
    later(2000);
    const found: (readonly string[] | undefined)[] = [];
    for (let i = 0; i < 100; i++) {
      found.push(await mounting());
      later(1000);
      found.push(await mounting('other'));
      later(10_500);
    }
    expect(found).toEqual(Array.from({ length: 100 }, () => [['a'], ['b']]).flat());
    // Once a minute.
    expect(counted('list')).toBeLessThanOrEqual((100 * 11.5) / 60 + 2);
  });
  test('that a pod still mounts it, though the list of the next minute may not begin yet', async () => {
    const { server, counted, mounting, later } = scene(['a', 'b']);
    await mounting();
    later(59_000);
    const held = server.rules.holdAnswers({ verb: 'list' });
    const other = mounting('other');
    await vi.waitUntil(() => held.waiting === 1);
    server.remove('Pod', 'ml', 'a');
    later(1000);
    expect(await mounting()).toEqual(['b']);
    server.remove('Pod', 'ml', 'b');
    expect(await mounting()).toBeUndefined();
    held.release();
    await other;
    expect(counted('list')).toBe(2);
  });
  test('why pods could not be listed, until the next list begins', async () => {
    const { server, counted, users, mounting, later } = scene();
    const refused = server.rules.refuse({ verb: 'list' });
    for (let i = 0; i < 3; i++, later(600)) await expect(users.of('ml', 'demo')).rejects.toThrow('refused');
    expect(counted('list')).toBe(1);
    refused.remove();
    later(2000);
    expect(await mounting()).toEqual([]);
  });
  test('everything, though the pages are forgotten on the way', async () => {
    const { server, mounting } = scene(Array.from({ length: 300 }, (_, i) => `app-${i}`));
    server.rules.add(
      { verb: 'list', when: ({ options }) => options['continue'] !== undefined, times: 1 },
      { before: () => server.compact() },
    );
    expect(await mounting()).toHaveLength(300);
  });
});

test('many datasets deleted at once in a namespace are one list of its pods, and none of them waits for another’s pods', async () => {
  const at = await harness();
  const names = Array.from({ length: 12 }, (_, i) => `d${i}`);
  for (const name of names) {
    at.put(openDataset(name));
    at.put(thinRuntime(name, { profileName: 'profile' }));
  }
  at.put(reader('app', 'd0'));
  await at.quiet();
  at.forget();
  for (const name of names) at.delete('Dataset', name);
  await at.quiet();
  expect(names.filter((name) => at.get('Dataset', name))).toEqual(['d0']);
  expect(at.events).toContainEqual(expect.objectContaining({ note: 'waiting for pods that mount the dataset: app' }));
  expect(at.server.requestsThat({ verb: 'list', kind: 'Pod', namespace: 'ml' }).length).toBeLessThanOrEqual(2);
  await at.advance(300_000);
  at.forget();
  await at.advance(50_000);
  // Every 30 s by then, for the Dataset; its runtime waits for it.
  expect(at.server.requestsThat({ kind: 'Pod', namespace: 'ml' }).length).toBeLessThanOrEqual(3);
  at.delete('Pod', 'app');
  // A minute until it is looked for, and the steps of the teardown.
  await at.advance(75_000);
  expect(at.get('Dataset', 'd0')).toBeUndefined();
});

test('a pod that came since the list for another deletion keeps its claim from being deleted', async () => {
  const pair = (name: string) => [openDataset(name), thinRuntime(name, { profileName: 'profile' })];
  const at = await boundHarness([...pair('demo'), ...pair('other')]);
  // So long that the next list comes a minute later.
  const slow = at.server.rules.delay({ verb: 'list', kind: 'Pod' }, 3000);
  at.delete('Dataset', 'other');
  await at.advance(6000);
  slow.remove();
  expect(at.get('Dataset', 'other')).toBeUndefined();
  at.put(reader('app', 'demo'));
  at.delete('Dataset', 'demo');
  await at.advance(120_000);
  expect(at.get('PersistentVolumeClaim', 'demo')?.metadata.deletionTimestamp).toBeUndefined();
  expect(at.conditions('Dataset')['NotReady']).toBe('True StillMounted: waiting for pods that mount the dataset: app');
});
