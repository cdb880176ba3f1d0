import { setTimeout as sleep } from 'node:timers/promises';
import { mountTable } from '../src/csi/mounts/table.ts';
import { topAt } from '../src/csi/mounts/mountinfo.ts';
import { BUSYBOX_IMAGE, FUSE_IMAGE, fuseImage, startControlPlane, startNode } from '../harness/index.ts';
import { type Installed, startInstalled } from '../test/node/installed.ts';
import { atMost, type Bench, type Figure } from './figure.ts';
import { range, say } from './lab.ts';
import { quantile, rounded } from './statistics.ts';

/**
 * How soon a real node takes pods and is gone; Sluice installed on one: how soon an application reads its first byte, and reads again after
 * its FUSE client was killed.
 */
export const realNode: Bench = {
  name: 'csi-real-node',
  async *run({ quick }) {
    yield* nodes(quick ? 1 : 5);
    const cluster = await startInstalled({ images: [fuseImage()] });
    try {
      await apply(cluster, ...dataset);
      await cluster.plane.kubectl('wait', '--for=jsonpath={.status.phase}=Bound', 'dataset/data', '--timeout=30s');
      const runs = quick ? 2 : 10;
      yield* firstReads(cluster, runs);
      yield* recoveries(cluster, runs);
    } finally {
      await cluster.stop();
    }
  },
};

/** `startNode()` and `stop()`, the latter while a pod runs. */
async function* nodes(runs: number): AsyncIterable<Figure> {
  const ready: number[] = [];
  const gone: number[] = [];
  const plane = await startControlPlane({ nodes: 0 });
  try {
    for (const i of range(runs)) {
      say(`starting a node, ${i + 1} of ${runs}`);
      const began = performance.now();
      const node = await startNode(plane);
      ready.push((performance.now() - began) / 1000);
      try {
        await plane.create('/api/v1/namespaces/default/pods', sleeper);
        await plane.kubectl('wait', '--for=condition=Ready', `pod/${sleeper.metadata.name}`, '--timeout=60s');
      } finally {
        const ending = performance.now();
        await node.stop();
        gone.push((performance.now() - ending) / 1000);
      }
      await plane.kubectl('delete', 'pod', sleeper.metadata.name, '--grace-period=0', '--force');
    }
  } finally {
    await plane.stop();
  }
  yield figure('node-ready', ready, 's until it takes pods, worst', 20, 1);
  yield figure('node-gone', gone, 's, worst', 8, 1);
}

const sleeper = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'sleeper' },
  spec: { containers: [{ name: 'main', image: BUSYBOX_IMAGE, command: ['sleep', '100000'] }] },
};

const FILE = '/data/file';
const [IMAGE = '', TAG = ''] = FUSE_IMAGE.split(':');

/** A real FUSE client of a folder in its own pod, so that no storage is measured. It begins by clearing what a killed one left. */
const dataset = [
  {
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'ThinRuntimeProfile',
    metadata: { name: 'folder' },
    spec: {
      fileSystemType: 'fuse.rclone',
      fuse: {
        image: IMAGE,
        imageTag: TAG,
        command: [
          'sh',
          '-c',
          'umount -l "$MOUNT_POINT"; mkdir -p /src "$MOUNT_POINT"; echo bytes > /src/file; exec rclone mount /src "$MOUNT_POINT" --allow-other',
        ],
      },
    },
  },
  { apiVersion: 'data.fluid.io/v1alpha1', kind: 'Dataset', metadata: { name: 'data' }, spec: { mounts: [{ mountPoint: 'local:///src' }] } },
  {
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'ThinRuntime',
    metadata: { name: 'data' },
    spec: { profileName: 'folder', fuse: { cleanPolicy: 'OnDemand' } },
  },
];

function application(name: string, script: string): object {
  const container = {
    name: 'app',
    image: FUSE_IMAGE,
    command: ['bash', '-c', script],
    volumeMounts: [{ name: 'data', mountPath: '/data', mountPropagation: 'HostToContainer' }],
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      containers: [container],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  };
}

/** From the creation of the pod to the first byte that its program has read. */
async function* firstReads(cluster: Installed, runs: number): AsyncIterable<Figure> {
  const { plane } = cluster;
  async function firstRead(name: string): Promise<number> {
    const began = Date.now();
    await plane.create('/api/v1/namespaces/default/pods', application(name, `read -r -N 1 byte < ${FILE} && date +%s%3N`));
    await plane.kubectl('wait', '--for=jsonpath={.status.phase}=Succeeded', `pod/${name}`, '--timeout=60s');
    const read = Number(await plane.kubectl('logs', name));
    await plane.kubectl('delete', 'pod', name);
    return (read - began) / 1000;
  }
  const cold: number[] = [];
  for (const i of range(runs)) {
    cold.push(await firstRead(`cold-${i}`));
    await plane.kubectl('wait', '--for=delete', 'pod', '-l', 'release=data,role=thin-fuse', '--timeout=60s');
  }
  yield figure('first-read/no-fuse-pod', cold, 's from the pod’s creation, median', 2);
  await apply(cluster, application('holder', 'sleep 100000'));
  await plane.kubectl('wait', '--for=condition=Ready', 'pod/holder', '--timeout=60s');
  const warm: number[] = [];
  for (const i of range(runs)) warm.push(await firstRead(`warm-${i}`));
  yield figure('first-read/fuse-pod-running', warm, 's from the pod’s creation, median', 1);
  await plane.kubectl('delete', 'pod', 'holder');
}

/** From the appearance of the new client's mount to the next byte that a running program has read. */
async function* recoveries(cluster: Installed, runs: number): AsyncIterable<Figure> {
  const { plane, node } = cluster;
  const path = `${node.mountRoot}/thin/default/data/thin-fuse`;
  const script = `while :; do if read -r line < ${FILE}; then echo "read $(date +%s%3N)"; else echo "failed $(date +%s%3N)"; fi; sleep 0.02; done`;
  await apply(cluster, application('reader', script));
  await plane.kubectl('wait', '--for=condition=Ready', 'pod/reader', '--timeout=60s');
  /** From the output of the program: the first success that follows a failure after that time. */
  async function firstReadAfter(ms: number): Promise<number> {
    for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(100)) {
      const lines = (await plane.kubectl('logs', 'reader')).split('\n').map((line) => line.split(' '));
      const failed = lines.findIndex(([what, at]) => what === 'failed' && Number(at) >= ms);
      const read = lines.find(([what], i) => failed >= 0 && i > failed && what === 'read');
      if (read) return Number(read[1]);
    }
    throw new Error('the application does not read again');
  }
  const afterMount: number[] = [];
  const afterKill: number[] = [];
  for (const i of range(runs)) {
    say(`killing the FUSE client, ${i + 1} of ${runs}`);
    const before = deviceAt(path);
    const killed = Date.now();
    await node.run('sh', '-c', KILL, 'sh', path);
    const mounted = await mountedAnew(path, before, 90_000);
    const readAgain = await firstReadAfter(killed);
    afterMount.push((readAgain - mounted) / 1000);
    afterKill.push((readAgain - killed) / 1000);
  }
  yield figure('recovery', afterMount, 's after the new mount appears, worst', 1, 1, { afterKill: rounded(quantile(afterKill, 0.5)) });
}

const figure = (bench: string, values: readonly number[], unit: string, most: number, at = 0.5, detail: object = {}): Figure =>
  atMost(bench, quantile(values, at), unit, most, {
    runs: values.length,
    median: rounded(quantile(values, 0.5)),
    worst: rounded(Math.max(...values)),
    ...detail,
  });

/** Ends the client that has mounted there, as hard as it gets; the shells around it have other names. */
const KILL =
  'for p in /proc/[0-9]*; do if [ "$(cat "$p/comm")" = rclone ] && tr "\\0" "\\n" < "$p/cmdline" | grep -qxF "$1"; then kill -KILL "${p#/proc/}"; fi; done 2> /dev/null';

const mounts = mountTable();

/** The device of what is mounted there, by which clients differ. */
const deviceAt = (path: string): string | undefined => topAt(mounts().mounts, path)?.device;

async function mountedAnew(path: string, before: string | undefined, ms: number): Promise<number> {
  for (const deadline = Date.now() + ms; Date.now() < deadline; await sleep(5)) {
    const now = deviceAt(path);
    if (now !== undefined && now !== before) return Date.now();
  }
  throw new Error(`nothing was mounted on ${path} within ${ms / 1000} s`);
}

async function apply({ plane }: Installed, ...objects: readonly object[]): Promise<void> {
  await plane.kubectlApply(objects.map((object) => JSON.stringify(object)).join('\n---\n'));
}
