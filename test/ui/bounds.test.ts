/** One viewer, and one author of objects, cannot take what others need; and rights end although the API server does not answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { KubeClient } from '../../src/kube/contract.ts';
import type { KubeObject, ResourceType } from '../../src/kube/types.ts';
import { createSharing } from '../../src/planning/sharing.ts';
import { createProjections } from '../../src/ui/server/rows/kept.ts';
import { clusterViewers } from '../../src/ui/server/viewers/cluster-viewers.ts';
import { reviewedSight } from '../../src/ui/server/viewers/rights.ts';
import type { Fleet } from '../../src/ui/wire.ts';
import { manualClock } from '../support/manual-clock.ts';
import { kinds } from '../support/kinds.ts';
import { clusterUi, reviewer } from './cluster-scene.ts';
import { ask, own, signIn, stream } from './requests.ts';
import { apiServer, pair } from './scene.ts';

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A page in a cluster with a Dataset in `ml` and one in `zebra`. `user` signs in, with these rights. */
async function scene() {
  const reviews = reviewer();
  const api = apiServer(['ml', 'zebra']);
  for (const namespace of ['ml', 'zebra']) for (const object of pair(namespace, 'demo')) api.put(object);
  const clock = manualClock();
  const ui = await clusterUi(api, reviews, clock);
  ends.push(ui.stop);
  await ui.ready;
  const tokenOf = (user: string, ...rights: readonly string[]) => {
    reviews.tokens.set(`token-of-${user}`, user);
    reviews.rights.set(user, new Set(rights));
    return `token-of-${user}`;
  };
  const versionFor = async (headers: Readonly<Record<string, string>>) =>
    (await ask(ui.port, '/api/fleet', { headers })).json<Fleet>().version;
  return { api, ui, clock, tokenOf, versionFor };
}

test('a version says nothing about how much changed in other namespaces', async () => {
  const { api, ui, tokenOf, versionFor } = await scene();
  const headers = await signIn(ui.port, tokenOf('ada', '* ml'));
  const before = await versionFor(headers);
  for (let i = 0; i < 7; i++) for (const object of pair('zebra', `z-${i}`)) api.put(object);
  const after = await versionFor(headers);
  expect(after).toHaveLength(before.length);
  expect(after).toMatch(/^[\w-]+$/);
});

test('one viewer has at most 20 streams, and others have theirs', async () => {
  const { ui, tokenOf, versionFor } = await scene();
  const [ada, bo] = [await signIn(ui.port, tokenOf('ada', '* ml')), await signIn(ui.port, tokenOf('bo', '* zebra'))];
  const other = stream(ui.port, `/api/changes?from=${await versionFor(bo)}`, bo);
  const from = await versionFor(ada);
  const all = Array.from({ length: 30 }, () => stream(ui.port, `/api/changes?from=${from}`, ada));
  ends.push(() => {
    for (const { request } of [other, ...all]) request.destroy();
  });
  await expect.poll(() => all.filter((each) => each.isOver()).length).toBe(10);
  expect(other.isOver()).toBe(false);
});

test('ServiceAccounts of one namespace leave others room to sign in', async () => {
  const { ui, clock, tokenOf } = await scene();
  for (let i = 0; i < 20; i++)
    for (let j = 0; j < 10; j++) {
      clock.advance(200);
      await signIn(ui.port, tokenOf(`system:serviceaccount:ml:sa-${i}`));
    }
  clock.advance(3000);
  const body = JSON.stringify({ token: tokenOf('bo', '* *') });
  expect((await ask(ui.port, '/api/session', { method: 'POST', headers: own, body })).status).toBe(200);
});

test('a row of an operation is short, whatever its spec names', () => {
  const { operation } = createProjections(createSharing());
  const kept = operation({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'DataLoad',
    metadata: { namespace: 'ml', name: 'x' },
    spec: { dataset: { name: 'n'.repeat(1_400_000) }, runAfter: { kind: 'DataLoad', name: 'm'.repeat(10_000) } },
    status: {},
  } as unknown as KubeObject);
  expect(JSON.stringify(kept?.row).length).toBeLessThan(2000);
});

test('rights that nobody could review for 15 minutes are none', async () => {
  const clock = manualClock();
  let fails = false;
  const asking = async (_: ResourceType, namespace: string): Promise<boolean> => {
    if (fails) throw new Error('no answer');
    return namespace === 'ml';
  };
  const sight = reviewedSight({ name: 'x', cluster: 'c', kinds: [kinds.Dataset], clock, ask: asking });
  await sight.look(['ml']);
  expect(sight.sees('datasets', 'ml')).toBe(true);
  fails = true;
  clock.advance(16 * 60_000);
  await sight.refresh().catch(() => {});
  expect(sight.sees('datasets', 'ml')).toBe(false);
});

test('a session ends with its token, also while reviews of another viewer hang', async () => {
  const clock = manualClock();
  const users = new Set(['ada', 'bo']);
  let hangs = false;
  const client = {
    async create(type: ResourceType, object: KubeObject) {
      const { token = '', user = '' } = object['spec'] as { token?: string; user?: string };
      if (type.kind === 'TokenReview') return { ...object, status: { authenticated: users.has(token), user: { username: token } } };
      if (hangs && user === 'ada') await new Promise(() => {});
      return { ...object, status: { allowed: users.has(user) } };
    },
  } as unknown as KubeClient;
  const viewers = clusterViewers({ client, clientOf: () => client, kinds: [kinds.Dataset], cluster: 'c', clock });
  ends.push(() => viewers.stop());
  const opened = async (user: string) => {
    const session = await viewers.of({ cookie: await viewers.signIn(user), bearer: undefined });
    await session?.sight.look(['ml']);
    session?.sight.onChanged(() => {});
    return session;
  };
  await opened('ada');
  const session = await opened('bo');
  hangs = true;
  users.delete('bo');
  for (let i = 0; i < 10; i++) {
    clock.advance(31_000);
    await sleep(1);
  }
  expect(session?.ended.aborted).toBe(true);
});
