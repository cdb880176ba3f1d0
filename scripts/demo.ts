/**
 * `npm run demo`: what `sluice demo` shows, and then bytes: Sluice installed in a cluster with a real node, MinIO, and a pod that reads
 * a file of it. With arguments it is `sluice demo` alone.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../src/cli/demo-cluster.ts';
import { type Progress, progressOn, secondsText } from '../src/cli/progress.ts';
import { fuseImage, minioImage, whyNoNode } from '../src/testing/index.ts';
import { type Installed, startInstalled } from '../test/node/installed.ts';
import { nameMinio, writeFiles } from '../test/node/walk-through.ts';

const args = process.argv.slice(2);
const { status } = spawnSync(process.execPath, [join(import.meta.dirname, '../src/cli/main.ts'), 'demo', ...args], { stdio: 'inherit' });
if (status !== 0 || args.length > 0) process.exit(status ?? 1);

const interrupt = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupt.abort(new Error('interrupted')));
const began = performance.now();
const progress = progressOn(process.stdout, interrupt.signal);
const impossible = whyNoNode();
if (impossible !== undefined) progress.line(`\nBytes are not shown here, where pods are simulated: ${impossible}.`);
else process.exitCode = await bytes();

async function bytes(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-demo-'));
  let cluster: Installed | undefined;
  let problem: unknown;
  try {
    progress.heading('Now with bytes: a real node, on which Sluice is installed');
    cluster = await start(progress);
    writeFiles(folder);
    await store(cluster, folder, progress);
    await read(cluster, folder, progress);
    await remove(cluster, progress);
  } catch (error) {
    problem = error;
  }
  // Also when it was interrupted: nothing is left behind.
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
  if (problem !== undefined && !interrupt.signal.aborted) console.error(`\ndemo: ${problem instanceof Error ? problem.message : problem}`);
  const verdict = interrupt.signal.aborted ? 'Interrupted after' : problem === undefined ? 'All of that took' : 'Failed after';
  progress.line(`\n${verdict} ${secondsText(performance.now() - began)}.`);
  return interrupt.signal.aborted ? 130 : problem === undefined ? 0 : 1;
}

async function start({ step }: Progress): Promise<Installed> {
  let cluster: Installed | undefined;
  await step('cluster', async (say) => {
    cluster = await startInstalled({ images: [fuseImage(), minioImage()], onProgress: say });
    return 'etcd, API server, kubelet, containerd; two controllers and a node plugin, from one image';
  });
  interrupt.signal.throwIfAborted();
  return cluster as Installed;
}

/** An object store with a file. */
async function store(cluster: Installed, folder: string, { step, heading }: Progress): Promise<void> {
  const { kubectl } = cluster.plane;
  heading('kubectl apply -f minio.yaml');
  await step('MinIO', async () => {
    await kubectl('apply', '-f', join(folder, 'minio.yaml'));
    await kubectl('rollout', 'status', 'deployment/minio', '--timeout=60s');
    await nameMinio(cluster);
    const put = 'echo fluid-minio-test > testfile && rclone copy testfile store:my-first-bucket';
    await kubectl('exec', 'deployment/minio', '-c', 'client', '--', 'sh', '-c', put);
    const keys = ['minio-access-key', 'minio-access-secret'].map((key) => `--from-literal=${key}=minioadmin`);
    await kubectl('create', 'secret', 'generic', 'minio-secret', ...keys);
    return 'serves my-first-bucket with one file, testfile';
  });
}

interface Status {
  readonly phase?: string;
  readonly containerStatuses?: readonly { readonly state: { readonly running?: object; readonly terminated?: object } }[];
}

async function read({ plane }: Installed, folder: string, { heading, line }: Progress): Promise<void> {
  heading('kubectl apply -f profile.yaml -f dataset.yaml; kubectl apply -f pod.yaml   (docs/thin-runtime.md)');
  const apply = (...files: readonly string[]) => plane.kubectl('apply', ...files.flatMap((file) => ['-f', join(folder, file)]));
  const begins = Date.now();
  const tell = (at: number, what: string) => line(`  ${secondsText(at - begins).padStart(7)}  ${what}`);
  const statusOf = (path: string) =>
    plane.get(path).then(
      (object) => (object as { readonly status?: Status }).status ?? {},
      () => ({}) as Status,
    );
  const reached = async (what: string, holds: () => Promise<boolean>) => {
    await until(interrupt.signal, holds, what);
    tell(Date.now(), what);
  };
  const hasRun = ({ containerStatuses: [one] = [] }: Status) => one?.state.running !== undefined || one?.state.terminated !== undefined;
  const pods = '/api/v1/namespaces/default/pods';
  await apply('profile.yaml', 'dataset.yaml');
  tell(Date.now(), 'profile, Dataset and ThinRuntime are applied');
  await reached(
    'Dataset minio-demo is Bound',
    async () => (await statusOf('/apis/data.fluid.io/v1alpha1/namespaces/default/datasets/minio-demo')).phase === 'Bound',
  );
  await apply('pod.yaml');
  tell(Date.now(), 'pod test-minio, which reads, is applied');
  const marks: [number, string][] = [];
  const runsFuse = async () => {
    const { items } = (await plane.get(`${pods}?labelSelector=release%3Dminio-demo`)) as {
      readonly items: readonly { readonly status: Status }[];
    };
    return items.some((pod) => hasRun(pod.status));
  };
  const runsPod = async () => hasRun(await statusOf(`${pods}/test-minio`));
  await until(interrupt.signal, runsFuse, 'the fuse pod runs');
  marks.push([Date.now(), 'the fuse pod runs, on the node that wants it, says the kubelet']);
  await until(interrupt.signal, runsPod, 'pod test-minio runs');
  marks.push([Date.now(), 'pod test-minio runs, says the kubelet']);
  await plane.kubectl('wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/test-minio', '--timeout=60s');
  const [at = '', ...text] = (await plane.kubectl('logs', '--timestamps', 'test-minio')).trim().split(' ');
  marks.push([Date.parse(at), `pod test-minio has read: ${text.join(' ')}`]);
  // The kubelet may say that something runs when that has long done its work.
  for (const mark of marks.toSorted(([a], [b]) => a - b)) tell(...mark);
}

async function remove({ plane: { kubectl }, node }: Installed, { heading, step }: Progress): Promise<void> {
  heading('kubectl delete pod test-minio; kubectl delete dataset minio-demo');
  await step('removal', async (say) => {
    await kubectl('delete', 'pod', 'test-minio');
    say('the fuse pod goes with the last pod that reads');
    await kubectl('wait', '--for=delete', 'pod', '-l', 'release=minio-demo', '--timeout=60s');
    await kubectl('delete', 'dataset', 'minio-demo', '--timeout=60s');
    const labels = await kubectl('get', 'node', node.name, '-o', 'jsonpath={.metadata.labels}');
    if (labels.includes('fluid.io/')) throw new Error(`labels are left on node ${node.name}: ${labels}`);
    return 'fuse pod, volume and node label are gone';
  });
}
