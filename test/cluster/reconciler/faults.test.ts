/** The controller's work while processes die and API servers fail. A control plane of its own, with an audit log. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createClient, type KubeClient } from '../../../src/kube/client/kube-client.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { connectionFromKubeconfig } from '../../../src/kube/kubeconfig/kubeconfig.ts';
import { type ControlPlane, startControlPlane } from '../../../harness/index.ts';
import { auditMark, auditSince, writesIn } from '../../../harness/control-plane/audit.ts';
import { endProcesses, startProcess } from '../../support/controller-process.ts';
import { forwardTo } from '../../support/forwarder.ts';
import { kinds } from '../../support/kinds.ts';
import { jfsDataset, jfsRuntime, jfsSecret, openDataset, thinRuntime } from '../../support/objects.ts';
import { createSpace, eventually, installCrds, PROFILE, type Sluice, type Space, startSluice } from '../../support/sluice.ts';

const SEED = 20251121;
const OWNER = 'data.fluid.io/owner-uid';
const USER = 'sluice-controller';

let plane: ControlPlane;
let client: KubeClient;
let kubeconfig: string;
let opened: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  plane = await startControlPlane({ nodes: 3, audit: true });
  await installCrds(plane);
  client = createClient(connectionFromKubeconfig([plane.kubeconfig]), { fieldManager: 'sluice-tests' });
  kubeconfig = await kubeconfigOf(USER);
});
afterEach(async () => {
  for (const close of opened.toReversed()) await close();
  opened = [];
  await endProcesses();
});
afterAll(async () => {
  await client?.close();
  await plane?.stop();
});

const space = (hint: string) => createSpace(plane, client, hint);
const thin = (name: string) => [openDataset(name), thinRuntime(name, { profileName: PROFILE })];
const jfs = (name: string) => [jfsDataset(name), jfsRuntime(name)];
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** An administrator, but one whom the API server may turn away. */
async function kubeconfigOf(user: string): Promise<string> {
  await plane.kubectl('create', 'clusterrolebinding', user, '--clusterrole=cluster-admin', `--user=${user}`);
  return plane.kubeconfigFor(user);
}

/** A controller in this process, ended with the test. */
async function controllerHere(path: string, server?: string, more: Parameters<typeof startSluice>[1] = {}): Promise<Sluice> {
  const connection = connectionFromKubeconfig([path]);
  const sluice = await startSluice(plane, { connection: { ...connection, ...(server && { server }) }, installed: true, ...more });
  opened.push(() => sluice.stop());
  return sluice;
}

/** The same numbers in every run (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Two of each kind: the simulation kills the controller at every other moment (docs/testing.md). */
const ROUNDS = 4;

describe('a process that is killed', () => {
  let work: Space;
  const next = random(SEED);
  const names = Array.from({ length: ROUNDS }, (_, round) => `r${round}`);
  const isThin = (name: string) => Number(name.slice(1)) % 2 === 0;
  const kindOf = (name: string) => (isThin(name) ? 'ThinRuntime' : 'JuiceFSRuntime');

  /** Each step is begun, and the controller killed within half a second of it; then another one starts. */
  async function killedDuring(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
    const delays: number[] = [];
    for (const step of steps) {
      const controller = startProcess(kubeconfig);
      await controller.says('leading');
      await step();
      const delay = Math.round(next() ** 2 * 500);
      delays.push(delay);
      await sleep(delay);
      await controller.end('SIGKILL');
    }
    console.log(`killed after ${delays.join(', ')} ms`);
  }

  test('at many points of set-up is followed by one that finishes the work', async () => {
    work = await space('kill');
    await work.create(jfsSecret());
    await killedDuring(names.map((name) => () => work.create(...(isThin(name) ? thin(name) : jfs(name)))));
    startProcess(kubeconfig);
    for (const name of names) await work.bound(kindOf(name), name, 60);
    const volumes = (await work.list('PersistentVolume')).filter(({ spec }) => JSON.stringify(spec).includes(`"${work.namespace}"`));
    expect(volumes).toHaveLength(ROUNDS);
    const allocated = (await Promise.all(names.filter((name) => !isThin(name)).map((name) => work.get('JuiceFSRuntime', name)))).flatMap(
      ({ metadata }) =>
        Object.values((JSON.parse(metadata.annotations?.['data.fluid.io/ports'] ?? '{}') as { ports: Record<string, number> }).ports),
    );
    expect(new Set(allocated).size).toBe(allocated.length);
    // One writer to a node for any number of its datasets; and they are counted, not added up.
    await eventually(async () => {
      for (const { metadata } of await work.list('Node')) {
        const managers = (metadata.managedFields ?? []) as readonly { manager: string }[];
        expect(managers.filter(({ manager }) => manager === 'sluice').length).toBeLessThanOrEqual(1);
        const datasets = Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith('fluid.io/s-juicefs-'));
        expect(Number(metadata.labels?.['fluid.io/dataset-num'] ?? 0)).toBe(datasets.length);
      }
    });
  });

  test('and started again writes nothing, since nothing has changed', async () => {
    const first = startProcess(kubeconfig);
    await first.says('leading');
    await sleep(1500);
    await first.end('SIGKILL');
    const mark = auditMark(plane);
    const began = performance.now();
    const second = startProcess(kubeconfig);
    await second.says('leading');
    console.log(`leading again after ${Math.round(performance.now() - began)} ms`);
    await sleep(2000);
    expect(writesIn(auditSince(plane, mark, USER))).toEqual([]);

    const quiet = auditMark(plane);
    await sleep(3000);
    const asked = auditSince(plane, quiet, USER).filter(({ verb, objectRef }) => verb !== 'watch' && objectRef?.resource !== 'leases');
    expect(asked.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
  });

  test('at many points of tear-down is followed by one that finishes the work', async () => {
    const deletions = names.map((name, i) => async () => {
      if (i % 3 !== 1) await work.delete('Dataset', name);
      if (i % 3 !== 0) await work.delete(kindOf(name), name);
    });
    await killedDuring(deletions);
    startProcess(kubeconfig);
    // Where only the runtime was deleted, the dataset stays.
    const kept = names.filter((_, i) => i % 3 === 1).map((name) => `Dataset/${name}`);
    await eventually(async () => {
      const left: string[] = [];
      for (const kind of ['Dataset', 'ThinRuntime', 'JuiceFSRuntime', 'Pod'] as const)
        left.push(...(await work.list(kind)).map(({ metadata }) => `${kind}/${metadata.name}`));
      left.push(...(await work.made()));
      for (const { metadata } of await work.list('Node'))
        left.push(...Object.keys(metadata.labels ?? {}).filter((key) => key.includes(work.namespace)));
      expect(left.toSorted()).toEqual(kept.toSorted());
    }, 60);
    for (const ref of kept) await work.becomes('Dataset', ref.slice('Dataset/'.length), { status: { phase: 'NotBound', runtimes: [] } });
  });
});

describe('two processes', () => {
  test('hand over when the leader stops, and when it is killed', async () => {
    const work = await space('hand');
    const [a, b, c] = [startProcess(kubeconfig), startProcess(kubeconfig), startProcess(kubeconfig)];
    const processes = [a, b, c];
    const isLeading = ({ lines }: (typeof processes)[number]) => lines.some((line) => line.includes('"leading"'));
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const leader = await eventually(() => {
        const leaders = processes.filter(isLeading);
        expect(leaders).toHaveLength(1);
        return leaders[0]!;
      });
      const batch = Array.from({ length: 5 }, (_, i) => `${signal.toLowerCase()}-${i}`);
      for (const name of batch) await work.create(...thin(name));
      const began = performance.now();
      await leader.end(signal);
      processes.splice(processes.indexOf(leader), 1);
      await eventually(() => expect(processes.some(isLeading)).toBe(true));
      console.log(`another one leads ${Math.round(performance.now() - began)} ms after ${signal}`);
      for (const name of batch) await work.bound('ThinRuntime', name);
    }
  });

  test('never write at the same time, even when the leader was frozen and wakes up', async () => {
    const work = await space('frozen');
    const [userA, userB] = ['sluice-a', 'sluice-b'];
    const a = startProcess(await kubeconfigOf(userA));
    await a.says('leading');
    await work.create(...thin('before'));
    await work.bound('ThinRuntime', 'before');
    const b = startProcess(await kubeconfigOf(userB));
    await b.says('synced');
    a.signal('SIGSTOP');
    const mark = auditMark(plane);
    // Work for both: the sleeper wakes up to it.
    await work.create(...thin('during'));
    await work.bound('ThinRuntime', 'during');
    await work.delete('DaemonSet', 'during-fuse');
    a.signal('SIGCONT');
    await work.create(...thin('after'));
    await work.bound('ThinRuntime', 'after');
    await work.delete('DaemonSet', 'after-fuse');
    await work.becomes('DaemonSet', 'after-fuse', {});
    await a.says('no longer leading');
    expect(writesIn(auditSince(plane, mark, userA))).toEqual([]);
    expect(writesIn(auditSince(plane, mark, userB))).not.toEqual([]);
  });
});

describe('an API server', () => {
  test('that is killed and comes back under load loses nothing', async () => {
    const work = await space('restart');
    await work.create(jfsSecret());
    const controller = startProcess(kubeconfig);
    await controller.says('leading');
    const names = Array.from({ length: 20 }, (_, i) => `d${i}`);
    for (const [i, name] of names.entries()) await work.create(...(i % 4 === 0 ? jfs(name) : thin(name)));
    await plane.restartApiServer();
    for (const [i, name] of names.entries()) await work.bound(i % 4 === 0 ? 'JuiceFSRuntime' : 'ThinRuntime', name, 60);
    // Watches work again: what happens now is seen.
    await work.delete('DaemonSet', 'd1-fuse');
    await work.becomes('DaemonSet', 'd1-fuse', {});
    await work.create(...thin('later'));
    await work.bound('ThinRuntime', 'later');
    expect(controller.lines.some((line) => line.includes('"fatal"'))).toBe(false);
  });

  test('that remembers no old versions is listed again, and what was missed is made up for', async () => {
    const work = await space('expired');
    const forwarder = await forwardTo(plane.server);
    opened.push(() => forwarder.close());
    const { controller } = await controllerHere(kubeconfig, `https://127.0.0.1:${forwarder.port}`);
    const names = ['drifting', 'going', 'staying', 'forced', 'unlabelled'];
    for (const name of names) await work.create(...thin(name));
    for (const name of names) await work.bound('ThinRuntime', name);
    await forwarder.block();
    await work.delete('DaemonSet', 'drifting-fuse');
    await work.delete('PersistentVolumeClaim', 'drifting');
    await work.delete('Dataset', 'going');
    await work.create(...thin('coming'));
    await work.patch('PersistentVolumeClaim', 'unlabelled', { metadata: { labels: { [OWNER]: null } } });
    // An operator removes the finalizers; volume and claim remain, with the label of a runtime that no longer exists.
    const left = await work.get('PersistentVolumeClaim', 'forced');
    for (const kind of ['ThinRuntime', 'Dataset'] as const) {
      await work.delete(kind, 'forced');
      await work.patch(kind, 'forced', { metadata: { finalizers: null } });
    }
    await work.create(...thin('forced'));
    // A new watch cache begins with what is there now.
    await plane.restartApiServer();
    const lists = () => [...controller.store.reflectors.values()].reduce((sum, { status }) => sum + status.lists, 0);
    const before = lists();
    await forwarder.unblock();
    await work.bound('ThinRuntime', 'coming', 60);
    await work.bound('ThinRuntime', 'drifting');
    await work.becomes('DaemonSet', 'drifting-fuse', {});
    await work.gone('Dataset', 'going');
    await work.gone('ThinRuntime', 'going');
    for (const name of ['staying', 'forced', 'unlabelled']) await work.bound('ThinRuntime', name);
    const owner = (await work.get('ThinRuntime', 'unlabelled')).metadata.uid;
    await work.becomes('PersistentVolumeClaim', 'unlabelled', { metadata: { labels: { [OWNER]: owner } } });
    expect((await work.get('PersistentVolumeClaim', 'forced')).metadata.uid).toBe(left.metadata.uid);
    expect((await work.made()).filter((name) => name.includes('going'))).toEqual([]);
    expect(lists()).toBeGreaterThan(before);
  });

  test('that turns requests away is given time, and everything is bound all the same', async () => {
    const user = 'sluice-limited';
    await client.create(kinds.PriorityLevelConfiguration, priorityLevel(user));
    await client.create(kinds.FlowSchema, flowSchema(user));
    const limited = await kubeconfigOf(user);
    const work = await space('limited');
    const mark = auditMark(plane);
    await controllerHere(limited);
    const names = Array.from({ length: 10 }, (_, i) => `d${i}`);
    const began = performance.now();
    for (const name of names) await work.create(...thin(name));
    for (const name of names) await work.bound('ThinRuntime', name, 60);
    const refusals = auditSince(plane, mark, user).filter(({ responseStatus }) => responseStatus?.code === 429);
    console.log(`10 bound after ${Math.round(performance.now() - began)} ms, with ${refusals.length} requests turned away`);
    expect(refusals.length).toBeGreaterThan(0);
  });
});

const priorityLevel = (name: string): KubeObject => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'PriorityLevelConfiguration',
  metadata: { name },
  spec: {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 1, lendablePercent: 0, borrowingLimitPercent: 0, limitResponse: { type: 'Reject' } },
  },
});

const flowSchema = (user: string): KubeObject => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'FlowSchema',
  metadata: { name: user },
  spec: {
    priorityLevelConfiguration: { name: user },
    matchingPrecedence: 100,
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: user } }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      },
    ],
  },
});
