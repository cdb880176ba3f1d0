import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFailed, onTestFinished, test, vi } from 'vitest';
import {
  BUSYBOX_IMAGE,
  type ControlPlane,
  type ControlPlaneHandle,
  FUSE_IMAGE,
  fuseImage,
  type ImageDefinition,
  MINIO_IMAGE,
  minioImage,
  type RealNode,
  startControlPlane,
  startNode,
} from '../../harness/index.ts';
import { canHaveNode, createPod, machineState, mountsInto, tracesOf, untilRestarted } from '../support/real-node.ts';

const soon = { timeout: 30_000, interval: 100 };

describe.skipIf(!canHaveNode)('a real node', () => {
  let plane: ControlPlane;
  let node: RealNode;
  const before = canHaveNode ? machineState() : undefined;
  beforeAll(async () => {
    plane = await startControlPlane({ nodes: 1 });
    node = await startNode(plane, { images: [kubectlImage(plane.kubectlPath), fuseImage(), minioImage()] });
  });
  afterAll(async () => {
    await node?.stop();
    await plane?.stop();
  });

  const ready = (...pods: readonly string[]) =>
    plane.kubectl('wait', '--for=condition=Ready', ...pods.map((pod) => `pod/${pod}`), '--timeout=30s');
  const status = (pod: string, path: string) => plane.kubectl('get', 'pod', pod, '-o', `jsonpath={.status.${path}}`);
  const onRealNode = (spec: object = {}) => ({ spec: { nodeName: node.name, ...spec } });
  const showLogs = () => onTestFailed(() => console.error(node.logs()));

  test('runs a pod to its end, and returns what it printed', async () => {
    showLogs();
    await createPod(plane, {
      name: 'hello',
      image: BUSYBOX_IMAGE,
      script: 'echo hello; exit 3',
      ...onRealNode({ restartPolicy: 'Never' }),
    });
    await vi.waitFor(async () => expect(await status('hello', 'containerStatuses[0].state.terminated.exitCode')).toBe('3'), soon);
    expect(await plane.kubectl('logs', 'hello')).toBe('hello\n');
  });

  test('leaves simulated pods to the simulated node', async () => {
    await createPod(plane, { name: 'fake', image: 'registry.example/none:1', script: '', spec: { nodeName: 'node-0' } });
    await ready('fake');
    expect(await plane.kubectl('get', 'nodes', '-o', 'jsonpath={.items[*].status.nodeInfo.kubeletVersion}')).toContain('v1.34.4');
  });

  test('runs commands in a pod, with their input and exit code', async () => {
    showLogs();
    await createPod(plane, { name: 'shell', image: BUSYBOX_IMAGE, script: 'exec sleep 100000', ...onRealNode() });
    await ready('shell');
    expect(await plane.kubectl('exec', 'shell', '--', 'hostname')).toBe('shell\n');
    await expect(plane.kubectl('exec', 'shell', '--', 'sh', '-c', 'exit 7')).rejects.toThrow(/exit code 7/);
  });

  test('pods of their own network and of the node reach each other and the machine, and the machine them', async () => {
    showLogs();
    const serve = (port: number) => `mkdir /www; hostname > /www/index.html; exec httpd -f -p ${port} -h /www`;
    await createPod(plane, { name: 'own-network', image: BUSYBOX_IMAGE, script: serve(8080), ...onRealNode() });
    await createPod(plane, { name: 'node-network', image: BUSYBOX_IMAGE, script: serve(8081), ...onRealNode({ hostNetwork: true }) });
    await ready('own-network', 'node-network');
    const own = `http://${await status('own-network', 'podIP')}:8080`;
    const nodes = `http://${await status('node-network', 'podIP')}:8081`;
    expect(nodes).toBe(`http://${node.address}:8081`);
    await using machine = await serveHttp('machine\n');
    const url = `http://${node.machineAddress}:${machine.port}`;
    for (const pod of ['own-network', 'node-network'])
      for (const [target, answer] of [
        [own, 'own-network'],
        [nodes, node.name],
        [url, 'machine'],
      ] as const)
        expect(await plane.kubectl('exec', pod, '--', 'sh', '-c', get(target)), `${pod} → ${target}`).toContain(answer);
    for (const [target, answer] of [
      [own, 'own-network\n'],
      [nodes, `${node.name}\n`],
    ] as const)
      expect(await (await fetch(target)).text()).toBe(answer);
  });

  test.for([false, true])('an account reaches the API server by the service address (hostNetwork: %s)', async (hostNetwork) => {
    showLogs();
    const name = `client-${hostNetwork}`;
    const script = 'exec kubectl auth whoami -o jsonpath={.status.userInfo.username}';
    await createPod(plane, { name, image: KUBECTL_IMAGE, script, ...onRealNode({ hostNetwork, restartPolicy: 'Never' }) });
    await vi.waitFor(async () => expect(await status(name, 'phase')).toMatch(/Succeeded|Failed/), soon);
    expect(await plane.kubectl('logs', name)).toBe('system:serviceaccount:default:default');
  });

  describe('Services', () => {
    beforeAll(async () => {
      const sleep = 'exec sleep 100000';
      const serve = 'mkdir /www; hostname > /www/index.html; exec httpd -f -p 8080 -h /www';
      const ofService = onRealNode({ hostname: 'server', subdomain: 'headless' });
      const ofNode = onRealNode({ dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true });
      await createPod(plane, { name: 'server', image: FUSE_IMAGE, script: serve, ...ofService });
      await createPod(plane, { name: 'client', image: FUSE_IMAGE, script: sleep, ...onRealNode() });
      await createPod(plane, { name: 'node-client', image: FUSE_IMAGE, script: sleep, ...ofNode });
      for (const [name, further] of [
        ['balanced', { ports: [{ port: 80, targetPort: 8080 }] }],
        ['headless', { clusterIP: 'None', ports: [{ port: 8080 }] }],
      ] as const)
        await plane.create('/api/v1/namespaces/default/services', {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name },
          spec: { selector: { app: 'server' }, ...further },
        });
      await ready('server', 'client', 'node-client');
    });

    test.for([
      ['client', 'balanced', 80],
      ['client', 'balanced.default', 80],
      ['client', 'headless', 8080],
      ['client', 'server.headless.default.svc.cluster.local', 8080],
      ['node-client', 'balanced.default.svc.cluster.local', 80],
      // Itself.
      ['server', 'balanced', 80],
    ] as const)('%s reaches the pod as %s:%d', async ([pod, host, port]) => {
      showLogs();
      // Bash asks the system for names, a static busybox does not.
      const ask = `exec 3<>/dev/tcp/${host}/${port}; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3`;
      await vi.waitFor(async () => expect(await plane.kubectl('exec', pod, '--', 'bash', '-c', ask)).toMatch(/server\n$/), soon);
    });

    test('a name that does not exist is denied at once', async () =>
      expect(await plane.kubectl('exec', 'client', '--', 'sh', '-c', 'nslookup missing.example || true')).toContain('NXDOMAIN'));
  });

  test('a mount of a FUSE client in a pod is seen by the machine and by other pods', async () => {
    showLogs();
    const env = [
      { name: 'MINIO_ROOT_USER', value: 'accesskey' },
      { name: 'MINIO_ROOT_PASSWORD', value: 'secretkey' },
    ];
    const store = 'mkdir -p /data/bucket; exec minio server /data --address :9000';
    await createPod(plane, { name: 'minio', image: MINIO_IMAGE, script: store, container: { env }, ...onRealNode() });
    await ready('minio');
    const url = `http://${await status('minio', 'podIP')}:9000`;
    await vi.waitFor(async () => expect((await fetch(`${url}/minio/health/ready`)).status).toBe(200), soon);
    const target = join(node.mountRoot, 's3');
    const client = `echo accesskey:secretkey > /etc/passwd-s3fs; chmod 600 /etc/passwd-s3fs; umount -l ${target}; mkdir -p ${target}
      exec s3fs bucket ${target} -f -o url=${url},use_path_request_style,allow_other`;
    const mounter = mountsInto(node.mountRoot);
    const fuse = { container: mounter.container, spec: { ...mounter.spec, nodeName: node.name } };
    await createPod(plane, { name: 's3fs', image: FUSE_IMAGE, script: client, ...fuse });
    await vi.waitFor(async () => expect(await node.run('findmnt', '-no', 'FSTYPE', target)).toBe('fuse.s3fs\n'), soon);
    await plane.kubectl('exec', 's3fs', '--', 'sh', '-c', `echo bytes > ${target}/file`);
    expect(readFileSync(join(target, 'file'), 'utf8')).toBe('bytes\n');
    const reader = mountsInto(node.mountRoot, 'HostToContainer');
    const spec = { ...reader.spec, nodeName: node.name };
    await createPod(plane, { name: 'reader', image: BUSYBOX_IMAGE, script: 'exec sleep 100000', container: reader.container, spec });
    await ready('reader');
    const read = () => plane.kubectl('exec', 'reader', '--', 'cat', `${target}/file`);
    expect(await read()).toBe('bytes\n');
    for (const crash of [1, 2, 3]) {
      await node.run('pkill', '-KILL', '-x', 's3fs');
      await untilRestarted(plane, 's3fs', crash);
      await vi.waitFor(async () => expect(await read()).toBe('bytes\n'), soon);
    }
  });

  test.for(['kubelet', 'containerd'] as const)('pods outlive a %s that is killed', async (daemon) => {
    showLogs();
    const name = `outlives-${daemon}`;
    await createPod(plane, { name, image: BUSYBOX_IMAGE, script: 'exec sleep 100000', ...onRealNode() });
    await ready(name);
    await node.restart(daemon);
    await vi.waitFor(() => plane.kubectl('exec', name, '--', 'true'), soon);
    expect(await status(name, 'containerStatuses[0].restartCount')).toBe('0');
    await createPod(plane, { name: `${name}-after`, image: BUSYBOX_IMAGE, script: 'exec sleep 100000', ...onRealNode() });
    await ready(`${name}-after`);
  });

  test('there may be another on the same machine; after stop there is nothing of it', async () => {
    showLogs();
    const other = await startNode(plane, { name: 'other' });
    await createPod(plane, { name: 'elsewhere', image: BUSYBOX_IMAGE, script: 'exec sleep 100000', spec: { nodeName: 'other' } });
    await ready('elsewhere');
    expect(tracesOf(other.dir)).not.toEqual([]);
    await other.stop();
    expect(tracesOf(other.dir)).toEqual([]);
    await expect(plane.kubectl('get', 'node', 'other')).rejects.toThrow(/NotFound/);
  });

  test.concurrent.for(['SIGKILL', 'SIGTERM', 'SIGINT', 'exception', 'exit'])(
    'nothing is left of a node whose process ended by %s',
    async (end, { expect, onTestFinished }) => {
      const child = starting(plane, `ends-by-${end.toLowerCase()}`, end);
      onTestFinished(() => void child.kill('SIGKILL'));
      const { dir } = await announced(child);
      if (end.startsWith('SIG')) child.kill(end as NodeJS.Signals);
      await vi.waitFor(() => expect(tracesOf(dir)).toEqual([]), soon);
    },
  );

  test('processes do not outlive a killed keeper, and the next start sweeps up', async () => {
    const child = starting(plane, 'loses-keeper', 'never');
    onTestFinished(() => void child.kill('SIGKILL'));
    const { dir } = await announced(child);
    process.kill(Number(readFileSync(join(dir, 'keeper.pid'), 'utf8')), 'SIGKILL');
    await vi.waitFor(() => expect(tracesOf(dir).filter((trace) => /^\d+$/.test(trace))).toEqual([]), soon);
    expect(existsSync(join(dir, 'mnt/t/here'))).toBe(true);
    await using _next = await startNode(plane, { name: 'sweeper' });
    expect(tracesOf(dir)).toEqual([]);
  });

  test('the machine is as it was', () => {
    expect(machineState()).toEqual(before);
  });
});

const KUBECTL_IMAGE = 'localhost/kubectl:1';

function kubectlImage(path: string): ImageDefinition {
  const shell = { from: '/bin/busybox' };
  return { name: KUBECTL_IMAGE, files: { '/bin/sh': shell, '/bin/kubectl': { from: path }, '/tmp': { directory: true } } };
}

/** A request that needs nothing but netcat. */
function get(url: string): string {
  const { hostname, port } = new URL(url);
  return `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc ${hostname} ${port}`;
}

async function serveHttp(text: string): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((_request, response) => response.end(text));
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}

/** A process that starts a node and then ends in the way given. */
function starting({ server, dir, kubeconfig, kubectlPath }: ControlPlaneHandle, name: string, end: string): ChildProcess {
  const script = join(import.meta.dirname, 'start-and-end.ts');
  const handle = JSON.stringify({ server, dir, kubeconfig, kubectlPath });
  const child = spawn(process.execPath, [script, handle, name, end], { stdio: ['ignore', 'pipe', 'pipe'] });
  return child;
}

function announced(child: ChildProcess): Promise<{ readonly dir: string }> {
  return new Promise((resolve, reject) => {
    let complaints = '';
    child.stderr?.on('data', (text: Buffer) => (complaints += text.toString('utf8')));
    child.stdout?.once('data', (line: Buffer) => resolve(JSON.parse(line.toString('utf8')) as { dir: string }));
    child.once('close', () => reject(new Error(`ended before it announced anything: ${complaints}`)));
  });
}
