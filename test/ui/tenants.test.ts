import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { ApiError } from '../../src/kube/errors.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { DatasetView, EditPreview, Fleet, NodeView } from '../../src/ui/wire.ts';
import { manualClock } from '../support/manual-clock.ts';
import { clusterUi, may, reviewer, type Reviewer } from './cluster-scene.ts';
import { ask, own, signIn, stream } from './requests.ts';
import { type ApiServer, apiServer, pair } from './scene.ts';

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const TEAMS = ['ml', 'zebra', 'vision'];
/** Puts a Dataset of each team, its runtime, a fuse pod on a shared node, an operation and an event, all with the name of the team. */
function fill(api: ApiServer): void {
  for (const team of TEAMS) {
    const name = `${team}-images`;
    const trouble = [{ type: 'PodsCrashing', status: 'True', reason: 'CrashLoop', message: `pod ${team}-worker-0` }];
    const [, runtime] = pair(team, name, { phase: 'Bound', conditions: [] }, { conditions: trouble }).map((object) => api.put(object));
    const owned = { 'data.fluid.io/owner-uid': runtime?.metadata.uid ?? '' };
    const labels = { app: 'alluxio', release: name, 'fluid.io/dataset-id': `${team}-${name}` };
    const put = (kind: string, apiVersion: string, object: string, fields: object, metadata: object = {}) =>
      api.put({ kind, apiVersion, metadata: { namespace: team, name: object, ...metadata }, ...fields } as KubeObject);
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x' }] } };
    const owner = (kind: string, of: KubeObject | undefined) => [
      { apiVersion: of?.apiVersion ?? '', kind, name: of?.metadata.name ?? '', uid: of?.metadata.uid ?? '', controller: true },
    ];
    const fuse = put(
      'DaemonSet',
      'apps/v1',
      `${name}-fuse`,
      { spec: { selector: { matchLabels: labels }, template }, status: { desiredNumberScheduled: 1, numberReady: 0 } },
      { labels: owned, ownerReferences: owner('AlluxioRuntime', runtime) },
    );
    put(
      'Pod',
      'v1',
      `${name}-fuse-x`,
      { spec: { nodeName: 'shared', containers: [{ name: 'c', image: 'x' }] } },
      { labels, ownerReferences: owner('DaemonSet', fuse) },
    );
    put('DataLoad', 'data.fluid.io/v1alpha1', `${team}-load`, {
      spec: { dataset: { name, namespace: team } },
      status: { phase: 'Executing', conditions: [] },
    });
    put('Event', 'v1', `${team}-event`, {
      type: 'Warning',
      reason: 'R',
      message: `${team}-event`,
      lastTimestamp: '2026-01-02T03:04:05Z',
      involvedObject: { kind: 'DaemonSet', namespace: team, name: fuse.metadata.name, uid: fuse.metadata.uid },
    });
    put('Secret', 'v1', `${team}-secret`, { stringData: { key: `${team}-hidden` } });
  }
  api.put({ kind: 'Node', apiVersion: 'v1', metadata: { name: 'shared' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } });
}

async function cluster(reviews: Reviewer, clock = manualClock()) {
  const api = apiServer(TEAMS);
  fill(api);
  const ui = await clusterUi(api, reviews, clock);
  ends.push(ui.stop);
  await ui.ready;
  return { api, ui, clock };
}

/** A viewer, who may list these. */
function adding(reviews: Reviewer, user: string, ...rights: readonly string[]): string {
  reviews.tokens.set(`token-of-${user}`, user);
  reviews.rights.set(user, new Set(rights));
  return `token-of-${user}`;
}

describe('a viewer of one namespace', () => {
  async function viewing() {
    const reviews = reviewer();
    const token = adding(reviews, 'ada', '* ml');
    const { api, ui, clock } = await cluster(reviews);
    const headers = await signIn(ui.port, token);
    return { api, ui, clock, reviews, headers, get: (path: string) => ask(ui.port, path, { headers }) };
  }

  test('gets its rows, and no name of another team', async () => {
    const { get } = await viewing();
    const { text } = await get('/api/fleet');
    const { viewer, datasets, operations } = JSON.parse(text) as Fleet;
    expect(viewer).toMatchObject({ name: 'ada', namespaces: ['ml'], hidden: ['nodes', 'csinodes'] });
    expect(datasets).toMatchObject([{ name: 'ml-images', kind: 'AlluxioRuntime', trouble: { message: 'pod ml-worker-0' } }]);
    expect(operations).toMatchObject([{ name: 'ml-load' }]);
    expect(text).not.toMatch(/zebra|vision/);
  });

  test('gets its changes, and nothing of those of another team, not even that there are some', async () => {
    const { api, ui, headers, get } = await viewing();
    const { version } = (await get('/api/fleet')).json<Fleet>();
    const changes = stream(ui.port, `/api/changes?from=${version}`, headers);
    for (let i = 0; i < 3; i++) {
      pair('zebra', `zebra-${i}`).forEach((object) => api.put(object));
      api.delete('DataLoad', 'zebra', 'zebra-load');
      pair('new-zebra', `zebra-${i}`).forEach((object) => api.put(object));
    }
    pair('ml', 'ml-last').forEach((object) => api.put(object));
    await expect.poll(() => JSON.stringify(changes.messages)).toContain('ml-last');
    expect(JSON.stringify(changes.messages)).not.toContain('zebra');
    changes.request.destroy();
  });

  test('gets details, nodes and previews of its own, and the same answer for what is of another team and for what does not exist', async () => {
    const { ui, headers, get } = await viewing();
    const { text } = await get('/api/datasets/ml/ml-images');
    expect((JSON.parse(text) as DatasetView).history.map(({ message }) => message)).toContain('ml-event');
    expect(text).not.toMatch(/zebra|vision|hidden/);
    const nodes = await get('/api/nodes');
    expect(nodes.json<readonly NodeView[]>()).toEqual([
      { name: 'shared', caches: [], clients: [{ dataset: 'ml/ml-images', pod: 'ml-images-fuse-x', ready: false }] },
    ]);
    const guesses = ['zebra/zebra-images', 'zebra/nothing', 'nothing/nothing', 'ml/zebra-images', 'kube-system/zebra'];
    for (const guess of guesses) {
      const answers = [
        await get(`/api/datasets/${guess}`),
        await ask(ui.port, `/api/preview/${guess}`, { method: 'POST', headers: { ...headers, ...own }, body: 'x' }),
      ];
      for (const { status, text } of answers)
        expect([status, text]).toEqual([404, '{"message":"expected the name of a Dataset that exists and that you may see"}']);
    }
  });

  test('gets nothing any more within a minute after its rights have ended', async () => {
    const { ui, clock, reviews, headers, get } = await viewing();
    const { version } = (await get('/api/fleet')).json<Fleet>();
    const changes = stream(ui.port, `/api/changes?from=${version}`, headers);
    await expect.poll(async () => (await get('/api/datasets/ml/ml-images')).status).toBe(200);
    reviews.rights.set('ada', new Set());
    clock.advance(61_000);
    await expect.poll(() => changes.messages.at(-1)).toMatchObject({ again: true });
    await expect.poll(changes.isOver).toBe(true);
    expect((await get('/api/fleet')).json<Fleet>()).toMatchObject({ datasets: [], operations: [], viewer: { namespaces: [] } });
    expect((await get('/api/datasets/ml/ml-images')).status).toBe(404);
    expect((await get('/api/nodes')).text).toBe('[]');
  });

  test('sees a namespace that it was granted, once the refusal is old', async () => {
    const { clock, reviews, get } = await viewing();
    expect((await get('/api/fleet')).json<Fleet>().datasets).toHaveLength(1);
    reviews.rights.get('ada')?.add('* vision');
    clock.advance(301_000);
    expect((await get('/api/fleet')).json<Fleet>().datasets.map(({ namespace }) => namespace)).toEqual(['ml', 'vision']);
  });

  test('has a dry run of an edit with its own rights, and no other', async () => {
    const { api, ui, headers, get } = await viewing();
    const { manifests } = (await get('/api/datasets/ml/ml-images')).json<DatasetView>();
    const before = api.all();
    const edited = (manifests[1]?.yaml ?? '').replace('replicas: 1', 'replicas: 2');
    const preview = async (body: string) =>
      (await ask(ui.port, '/api/preview/ml/ml-images', { method: 'POST', headers: { ...headers, ...own }, body })).json<EditPreview>();
    expect((await preview(edited)).changes.length).toBeGreaterThan(0);
    const foreign = await preview(edited.replaceAll('ml-images', 'zebra-images').replaceAll('namespace: ml', 'namespace: zebra'));
    expect(foreign).toEqual({
      faults: ['AlluxioRuntime zebra/zebra-images: expected an object of namespace ml'],
      warnings: [],
      changes: [],
    });
    expect(api.all()).toEqual(before);
  });
});

test('of a kind that a viewer may not list nothing is sent: the kind and the troubles of runtimes, operations, pods, events', async () => {
  const reviews = reviewer();
  const token = adding(reviews, 'bo', 'datasets *');
  const { ui } = await cluster(reviews);
  const headers = await signIn(ui.port, token);
  const { viewer, datasets, operations } = (await ask(ui.port, '/api/fleet', { headers })).json<Fleet>();
  expect(datasets.map(({ kind, trouble }) => [kind, trouble])).toEqual(TEAMS.map(() => ['', undefined]));
  expect(operations).toEqual([]);
  expect(viewer.namespaces).toBeUndefined();
  expect(viewer.hidden).toEqual(expect.arrayContaining(['alluxioruntimes', 'dataloads', 'pods', 'events', 'nodes']));
  const { picture, history, manifests, explanations } = (await ask(ui.port, '/api/datasets/ml/ml-images', { headers })).json<DatasetView>();
  expect(picture.parts.map(({ role }) => role)).toEqual(['store']);
  expect(history).toEqual([]);
  expect(manifests.map(({ title }) => title)).toEqual(['Dataset ml/ml-images']);
  expect(explanations).toHaveLength(1);
  expect((await ask(ui.port, '/api/nodes', { headers })).text).toBe('[]');
});

test('with the right to Datasets and runtimes alone, a view has no workload, no pod and no event', async () => {
  const reviews = reviewer();
  const token = adding(reviews, 'cy', 'datasets ml', 'alluxioruntimes ml');
  const { ui } = await cluster(reviews);
  const { text } = await ask(ui.port, '/api/datasets/ml/ml-images', { headers: await signIn(ui.port, token) });
  const { picture, row } = JSON.parse(text) as DatasetView;
  expect(row.kind).toBe('AlluxioRuntime');
  expect(picture.parts.map(({ role }) => role)).toEqual(['store']);
  expect(text).not.toMatch(/ml-images-fuse|ml-event/);
});

test('for random rights, what is sent is what may be listed', async () => {
  const plurals = ['datasets', 'alluxioruntimes', 'dataloads', 'pods'];
  const rights = fc.uniqueArray(fc.constantFrom(...plurals.flatMap((plural) => [...TEAMS, '*'].map((team) => `${plural} ${team}`))));
  const reviews = reviewer();
  const { ui } = await cluster(reviews);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(rights, async (granted) => {
      const user = `user-${run++}`;
      const token = adding(reviews, user, ...granted);
      const headers = { authorization: `Bearer ${token}` };
      const get = async <T>(path: string) => {
        const answer = await ask(ui.port, path, { headers });
        if (answer.status === 429) throw new Error('the test asks too often');
        return answer.status === 200 ? answer.json<T>() : undefined;
      };
      const shows = (plural: string, team: string) => may(reviews, user, 'datasets', team) && may(reviews, user, plural, team);
      const fleet = await get<Fleet>('/api/fleet');
      const teams = (plural: string) => TEAMS.filter((team) => shows(plural, team));
      expect(fleet?.datasets.map(({ namespace }) => namespace).toSorted()).toEqual(teams('datasets').toSorted());
      expect(
        fleet?.datasets
          .filter(({ kind }) => kind !== '')
          .map(({ namespace }) => namespace)
          .toSorted(),
      ).toEqual(teams('alluxioruntimes').toSorted());
      expect(fleet?.operations.map(({ namespace }) => namespace).toSorted()).toEqual(teams('dataloads').toSorted());
      const nodes = await get<readonly NodeView[]>('/api/nodes');
      const clients = nodes?.flatMap((node) => node.clients.map(({ dataset }) => dataset.split('/')[0])) ?? [];
      expect(clients.toSorted()).toEqual(TEAMS.filter((team) => shows('pods', team) && shows('alluxioruntimes', team)).toSorted());
      for (const team of TEAMS)
        expect((await get<DatasetView>(`/api/datasets/${team}/${team}-images`)) !== undefined).toBe(shows('datasets', team));
    }),
    { numRuns: 15 },
  );
});

describe('sessions in a cluster', () => {
  test('a token that the API server does not accept signs nobody in, nor does a cookie that is made up', async () => {
    const reviews = reviewer();
    adding(reviews, 'ada', '* *');
    const { ui } = await cluster(reviews);
    const session = (body: string) => ask(ui.port, '/api/session', { method: 'POST', headers: own, body });
    expect((await session('{"token":"wrong"}')).status).toBe(401);
    for (const body of ['', '{}', '{"token":1}', '[]', 'null', '{"token":""}']) expect((await session(body)).status).toBe(400);
    const made = [
      { cookie: 'sluice-ui=x' },
      { cookie: 'sluice-ui=' },
      { authorization: 'Bearer wrong' },
      { authorization: 'Basic dG9rZW4tb2YtYWRh' },
      {},
    ];
    for (const headers of made as readonly Readonly<Record<string, string>>[])
      expect((await ask(ui.port, '/api/fleet', { headers })).status).toBe(401);
  });

  test('a session ends within a minute after its token is no longer accepted, and its stream with it', async () => {
    const reviews = reviewer();
    const token = adding(reviews, 'ada', '* *');
    const { ui, clock } = await cluster(reviews);
    const headers = await signIn(ui.port, token);
    const { version } = (await ask(ui.port, '/api/fleet', { headers })).json<Fleet>();
    const changes = stream(ui.port, `/api/changes?from=${version}`, headers);
    await expect.poll(() => clock.waits.length).toBeGreaterThan(0);
    reviews.tokens.clear();
    clock.advance(61_000);
    expect((await ask(ui.port, '/api/fleet', { headers })).status).toBe(401);
    await expect.poll(changes.isOver).toBe(true);
  });

  test('a session outlives an API server that does not answer by 15 minutes', async () => {
    const reviews = reviewer();
    const token = adding(reviews, 'ada', '* *');
    const { ui, clock } = await cluster(reviews);
    const headers = await signIn(ui.port, token);
    const get = () => ask(ui.port, '/api/datasets/ml/nothing', { headers });
    expect((await get()).status).toBe(404);
    reviews.failing = new ApiError({ method: 'POST', path: '/' }, 503, 'away');
    clock.advance(14 * 60_000);
    expect((await get()).status).toBe(500);
    clock.advance(2 * 60_000);
    expect((await get()).status).toBe(401);
  });

  test('tries are limited, so that anybody who sends tokens keeps the API server free', async () => {
    const reviews = reviewer();
    const { ui } = await cluster(reviews);
    const statuses = await Promise.all(
      Array.from({ length: 60 }, (_, i) => ask(ui.port, '/api/fleet', { headers: { authorization: `Bearer wrong-${i}` } })),
    );
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect(reviews.asked.tokens).toBe(20);
  });
});
