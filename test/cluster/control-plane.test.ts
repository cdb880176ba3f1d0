import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { podLog } from '../../harness/control-plane/pod-logs.ts';
import { type ControlPlane, startControlPlane, useExistingCluster } from '../../harness/index.ts';
import { freshNamespace, sharedCluster, sharedControlPlane, simulated } from '../support/test-cluster.ts';

const soon = { timeout: 100_000, interval: 100 };

describe('the shared cluster', () => {
  test('takes pods in a fresh namespace', async () => {
    const cluster = await sharedCluster();
    const namespace = await freshNamespace(cluster);
    await cluster.kubectlApply(deployment(namespace, 'web'));
    await expect(cluster.kubectl('rollout', 'status', 'deployment/web', '-n', namespace, '--timeout=30s')).resolves.toContain(
      'successfully',
    );
  });

  test('authenticates another user, who may do nothing until RBAC says so', async () => {
    const cluster = await sharedCluster();
    const namespace = await freshNamespace(cluster);
    const asJane = `--kubeconfig=${await cluster.kubeconfigFor('jane', ['developers'])}`;
    await expect(cluster.kubectl('auth', 'whoami', asJane, '-o', 'jsonpath={.status.userInfo.username}')).resolves.toBe('jane');
    await expect(cluster.kubectl('get', 'pods', '-n', namespace, asJane)).rejects.toThrow(/Forbidden/);
    await cluster.kubectl('create', 'rolebinding', 'view', '--clusterrole=view', '--group=developers', '-n', namespace);
    await vi.waitFor(() => cluster.kubectl('get', 'pods', '-n', namespace, asJane), soon);
  });
});

describe.skipIf(!simulated)('simulated pods and nodes', () => {
  test('a claim binds to its volume', async () => {
    const { kubectl, kubectlApply, ...cluster } = sharedControlPlane();
    const namespace = await freshNamespace(cluster);
    const volume = `volume-${namespace}`;
    await kubectlApply(persistentVolume(volume, namespace));
    await vi.waitFor(async () => expect(await kubectl('get', 'pv', volume, '-o', 'jsonpath={.status.phase}')).toBe('Available'), soon);
    await kubectlApply(claim(namespace, volume));
    await vi.waitFor(async () => expect(await kubectl('get', 'pv', volume, '-o', 'jsonpath={.status.phase}')).toBe('Bound'), soon);
    // The binder writes the volume from two workers and, when they collide, leaves the claim to its resync of 15 s, or to its next event.
    await kubectl('annotate', 'pvc', 'data', '-n', namespace, 'testing.sluice.dev/touched=yes');
    await vi.waitFor(
      async () => expect(await kubectl('get', 'pvc', 'data', '-n', namespace, '-o', 'jsonpath={.status.phase}')).toBe('Bound'),
      soon,
    );
    await kubectl('delete', 'pv', volume, '--wait=false');
  });

  test('answers exec with what the test says, exit code and streams included', async () => {
    const cluster = sharedControlPlane();
    const namespace = await runningPod(cluster, 'asked');
    await cluster.exec.answer({ namespace, argv: ['juicefs', 'info'], stdout: 'inode: 1\n', stderr: 'slow\n', exitCode: 3 });
    const asked = execFailure(cluster, namespace, 'asked', ['juicefs', 'info', '/data']);
    await expect(asked).resolves.toEqual({ stdout: 'inode: 1\n', stderr: expect.stringContaining('slow\n'), code: 3 });
    const calls = await cluster.exec.calls({ namespace });
    expect(calls.map(({ pod, argv }) => ({ pod, argv }))).toEqual([{ pod: 'asked', argv: ['juicefs', 'info', '/data'] }]);
  });

  test('answers as a working JuiceFS unless a test sets another answer, and knows no other command', async () => {
    const cluster = sharedControlPlane();
    const namespace = await runningPod(cluster, 'juice');
    const run = (...argv: readonly string[]) => cluster.kubectl('exec', '-n', namespace, 'juice', '--', ...argv);
    await expect(run('cat', '/mnt/jfs/.stats')).resolves.toMatch(/^juicefs_blockcache_hits 6$/m);
    await expect(run('bash', '-c', 'ls -lR /mnt/jfs |grep ^- |wc -l ')).resolves.toBe('3\n');
    await cluster.exec.answer({ namespace, argv: /\.stats/, stdout: 'blockcache.hits: 1\n', times: 1 });
    await expect(run('cat', '/mnt/jfs/.stats')).resolves.toBe('blockcache.hits: 1\n');
    await expect(run('cat', '/mnt/jfs/.stats')).resolves.toMatch(/juicefs_blockcache_hits 6/);
    await expect(run('/bin/hostname')).rejects.toThrow(/exit code 127/);
  });

  test('answers exec over WebSockets, as clients in Python ask, exit code and streams included', async () => {
    const cluster = sharedControlPlane();
    const namespace = await runningPod(cluster, 'socket');
    await cluster.exec.answer({ namespace, argv: ['juicefs', 'info'], stdout: 'inode: 1\n', stderr: 'slow\n', exitCode: 3 });
    const [stdout, stderr, status] = await execOnSocket(cluster, namespace, 'socket', ['juicefs', 'info']);
    expect([stdout, stderr]).toEqual(['inode: 1\n', 'slow\n']);
    expect(JSON.parse(status ?? '')).toMatchObject({ status: 'Failure', details: { causes: [{ reason: 'ExitCode', message: '3' }] } });
    const calls = await cluster.exec.calls({ namespace });
    expect(calls.map(({ pod, argv }) => ({ pod, argv }))).toEqual([{ pod: 'socket', argv: ['juicefs', 'info'] }]);
  });

  test('shows a file as the log of a container', async () => {
    const cluster = sharedControlPlane();
    const namespace = await runningPod(cluster, 'talks');
    await writeFile(podLog(cluster.dir, { namespace, pod: 'talks', container: 'main' }), 'Creating symlink\n');
    await expect(cluster.kubectl('logs', '-n', namespace, 'talks')).resolves.toBe('Creating symlink\n');
  });

  test('holds back an answer for as long as the test says', async () => {
    const cluster = sharedControlPlane();
    const namespace = await runningPod(cluster, 'slow');
    await cluster.exec.answer({ namespace, argv: ['sleepy'], stdout: 'late', delayMs: 700 });
    const began = performance.now();
    await expect(cluster.kubectl('exec', '-n', namespace, 'slow', '--', 'sleepy')).resolves.toBe('late');
    expect(performance.now() - began).toBeGreaterThan(700);
  });

  test('pods yet to come stay Pending while held, and turn Ready when released', async () => {
    const cluster = sharedControlPlane();
    const namespace = await freshNamespace(cluster);
    const held = await cluster.pods.hold({ namespace, name: 'web-*' }, { as: 'Pending', reason: 'ImagePullBackOff' });
    await cluster.kubectlApply(deployment(namespace, 'web'));
    await podsShow(cluster, namespace, 'Pending ImagePullBackOff ');
    await held.release();
    await podsShow(cluster, namespace, 'Running  True');
  });

  test.for([
    ['NotReady', 'Running  False'],
    ['CrashLoopBackOff', 'Running CrashLoopBackOff False'],
  ] as const)('running pods turn %s and recover', async ([as, shown]) => {
    const cluster = sharedControlPlane();
    const namespace = await runningPod(cluster, 'sick');
    const target = { namespace, labels: { app: 'sick' } };
    const sick = as === 'NotReady' ? await cluster.pods.hold(target, { as }) : await cluster.pods.fail(target, { as });
    await podsShow(cluster, namespace, shown);
    await sick.release();
    await podsShow(cluster, namespace, 'Running  True');
  });

  test("a Job fails with its pods' exit code, and a held one keeps running", async () => {
    const cluster = sharedControlPlane();
    const namespace = await freshNamespace(cluster);
    await cluster.pods.fail({ namespace, name: 'broken-*' }, { as: 'Failed', exitCode: 42 });
    const held = await cluster.pods.hold({ namespace, name: 'long-*' }, { as: 'Running' });
    for (const name of ['broken', 'long', 'short']) await cluster.kubectlApply(job(namespace, name));
    const condition = (name: string, type: string) =>
      cluster.kubectl('wait', '-n', namespace, `job/${name}`, `--for=condition=${type}`, '--timeout=30s');
    await condition('broken', 'Failed');
    await condition('short', 'Complete');
    const exit = '{.items[0].status.containerStatuses[0].state.terminated.exitCode}';
    await expect(cluster.kubectl('get', 'pods', '-n', namespace, '-l', 'job-name=broken', '-o', `jsonpath=${exit}`)).resolves.toBe('42');
    await expect(cluster.kubectl('get', '-n', namespace, 'job/long', '-o', 'jsonpath={.status.active}')).resolves.toBe('1');
    await held.release();
    await condition('long', 'Complete');
  });

  test('a deleted pod stays Terminating while held', async () => {
    const cluster = sharedControlPlane();
    const namespace = await runningPod(cluster, 'stuck');
    const held = await cluster.pods.hold({ namespace, name: 'stuck' }, { as: 'Terminating' });
    await cluster.kubectl('delete', 'pod', 'stuck', '-n', namespace, '--wait=false');
    await new Promise((resolve) => setTimeout(resolve, 500));
    await expect(cluster.kubectl('get', 'pod', 'stuck', '-n', namespace)).resolves.toContain('Terminating');
    await held.release();
    const said = () => cluster.kubectl('get', 'pod', 'stuck', '-n', namespace).catch(String);
    await vi.waitFor(async () => expect(await said()).toMatch(/NotFound/), soon);
  });

  test('a node comes with its labels and goes', async () => {
    const cluster = sharedControlPlane();
    const name = `extra-${process.hrtime.bigint()}`;
    await cluster.nodes.add(name, { 'topology.kubernetes.io/zone': 'z1' });
    await expect(cluster.kubectl('get', 'nodes', '-l', 'topology.kubernetes.io/zone=z1', '-o', 'name')).resolves.toBe(`node/${name}\n`);
    await cluster.nodes.remove(name);
    await expect(cluster.kubectl('get', 'node', name)).rejects.toThrow(/NotFound/);
  });
});

describe.skipIf(!simulated)('an existing cluster', () => {
  test('is used through nothing but its kubeconfig', async () => {
    await using existing = await useExistingCluster(sharedControlPlane().kubeconfig);
    const namespace = await freshNamespace(existing);
    const asJoe = `--kubeconfig=${await existing.kubeconfigFor('joe', ['testers'])}`;
    await expect(existing.kubectl('auth', 'whoami', asJoe, '-o', 'jsonpath={.status.userInfo}')).resolves.toMatch(
      /"testers".*"username":"joe"/,
    );
    await expect(existing.get(`/api/v1/namespaces/${namespace}`)).resolves.toMatchObject({ status: { phase: 'Active' } });
  });
});

describe('a control plane of its own', () => {
  let own: ControlPlane;
  beforeAll(async () => {
    own = await startControlPlane({ nodes: 1, audit: true });
  });
  afterAll(() => own.stop());

  test('keeps port and data over a restart of its API server', async () => {
    await own.kubectl('create', 'configmap', 'remembered', '--from-literal=a=b');
    await own.restartApiServer();
    await expect(own.kubectl('get', 'configmap', 'remembered', '-o', 'jsonpath={.data.a}')).resolves.toBe('b');
  });

  test('writes down every request', async () => {
    await own.kubectl('get', 'configmap', 'never-there').catch(() => {});
    const lines = readFileSync(own.auditLog ?? '', 'utf8')
      .trim()
      .split('\n');
    const events = lines.map(
      (line) => JSON.parse(line) as { verb: string; objectRef?: { name?: string }; responseStatus?: { code: number } },
    );
    const asked = events.find(({ objectRef }) => objectRef?.name === 'never-there');
    expect(asked).toMatchObject({ verb: 'get', responseStatus: { code: 404 } });
  });
});

describe('after the end', () => {
  test.concurrent.for(['SIGKILL', 'SIGTERM', 'SIGINT', 'exception', 'exit'])(
    'nothing is left of a control plane whose process ended by %s',
    async (end, { expect }) => {
      const script = join(import.meta.dirname, '..', 'support', 'start-and-end.ts');
      const child = spawn(process.execPath, [script, end], { stdio: ['ignore', 'pipe', 'ignore'] });
      const { dir, pids } = await announced(child);
      expect(pids).toHaveLength(6);
      if (end.startsWith('SIG')) child.kill(end as NodeJS.Signals);
      await vi.waitFor(() => {
        expect(pids.filter(isAlive)).toEqual([]);
        expect(existsSync(dir)).toBe(false);
      }, soon);
    },
  );

  test('processes do not outlive a killed keeper, and the next start sweeps up', async ({ onTestFinished }) => {
    // In a folder of its own: a control plane that another file starts meanwhile sweeps the common one.
    const folder = mkdtempSync(join(tmpdir(), 'sluice-swept-'));
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true, force: true });
    });
    await using killed = await startControlPlane({ nodes: 0 });
    const pids = pidsOf(killed.dir);
    process.kill(Number(readFileSync(join(killed.dir, 'keeper.pid'), 'utf8')), 'SIGKILL');
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), soon);
    expect(existsSync(killed.dir)).toBe(true);
    await using _next = await startControlPlane({ nodes: 0 });
    expect(existsSync(killed.dir)).toBe(false);
  });

  test('stop leaves nothing', async () => {
    const { dir, stop } = await startControlPlane({ nodes: 0 });
    const pids = pidsOf(dir);
    await stop();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(dir)).toBe(false);
  });
});

function announced(child: ChildProcess): Promise<{ dir: string; pids: readonly number[] }> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (line: Buffer) => resolve(JSON.parse(line.toString('utf8')) as { dir: string; pids: number[] }));
    child.once('exit', () => reject(new Error('ended before it announced anything')));
  });
}

function pidsOf(dir: string): readonly number[] {
  return readdirSync(join(dir, 'pids')).map((name) => Number(readFileSync(join(dir, 'pids', name), 'utf8')));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function runningPod(cluster: ReturnType<typeof sharedControlPlane>, name: string): Promise<string> {
  const namespace = await freshNamespace(cluster);
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels: { app: name } }, spec: podSpec() };
  await cluster.create(`/api/v1/namespaces/${namespace}/pods`, pod);
  await cluster.kubectl('wait', '--for=condition=Ready', `pod/${name}`, '-n', namespace, '--timeout=20s');
  return namespace;
}

async function podsShow(cluster: ReturnType<typeof sharedControlPlane>, namespace: string, shown: string): Promise<void> {
  const columns = '{.status.phase} {.status.containerStatuses[0].state.waiting.reason} {.status.conditions[?(@.type=="Ready")].status}';
  const expected = shown.endsWith(' ') ? `${shown}False` : shown;
  const show = () => cluster.kubectl('get', 'pods', '-n', namespace, '-o', `jsonpath={range .items[*]}${columns}{end}`);
  await vi.waitFor(async () => expect(await show()).toBe(expected), soon);
}

function execFailure(
  { kubectlPath, kubeconfig }: ReturnType<typeof sharedControlPlane>,
  namespace: string,
  pod: string,
  argv: readonly string[],
) {
  return new Promise<{ stdout: string; stderr: string; code: unknown }>((resolve) => {
    execFile(kubectlPath, [`--kubeconfig=${kubeconfig}`, 'exec', '-n', namespace, pod, '--', ...argv], (error, stdout, stderr) =>
      resolve({ stdout, stderr, code: error?.code ?? 0 }),
    );
  });
}

/** The text of channels 1 to 3 of the protocol that clients other than kubectl speak. */
function execOnSocket(
  { server, dir }: ReturnType<typeof sharedControlPlane>,
  namespace: string,
  pod: string,
  argv: readonly string[],
): Promise<readonly string[]> {
  const query = ['stdout=1', 'stderr=1', ...argv.map((word) => `command=${encodeURIComponent(word)}`)].join('&');
  const url = `${server.replace('https', 'wss')}/api/v1/namespaces/${namespace}/pods/${pod}/exec?${query}`;
  const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((file) => readFileSync(join(dir, 'pki', file)));
  const socket = new WebSocket(url, ['v4.channel.k8s.io'], { ca, cert, key });
  const said = ['', '', '', ''];
  socket.on('message', (message: Buffer) => (said[message[0] ?? 0] += message.subarray(1).toString()));
  return new Promise((resolve, reject) => {
    socket.once('close', () => resolve(said.slice(1)));
    socket.once('error', reject);
  });
}

function podSpec() {
  return { containers: [{ name: 'main', image: 'registry.example/none:1' }] };
}

function deployment(namespace: string, name: string): string {
  const template = { metadata: { labels: { app: name } }, spec: podSpec() };
  const spec = { replicas: 1, selector: { matchLabels: { app: name } }, template };
  return JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace }, spec });
}

function job(namespace: string, name: string): string {
  const spec = { backoffLimit: 0, template: { spec: { ...podSpec(), restartPolicy: 'Never' } } };
  return JSON.stringify({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace }, spec });
}

function persistentVolume(name: string, namespace: string): string {
  const csi = { driver: 'fuse.csi.fluid.io', volumeHandle: name };
  const claimRef = { namespace, name: 'data' };
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadOnlyMany'], storageClassName: 'fluid', claimRef, csi };
  return JSON.stringify({ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec });
}

function claim(namespace: string, volumeName: string): string {
  const spec = { accessModes: ['ReadOnlyMany'], storageClassName: 'fluid', volumeName, resources: { requests: { storage: '1Gi' } } };
  return JSON.stringify({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data', namespace }, spec });
}
