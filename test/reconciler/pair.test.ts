import { describe, expect, test } from 'vitest';
import { planInput } from '../../src/testing/given.ts';
import thin from '../../runtimes/thin/index.ts';
import type { PairRuntimeSpec } from '../support/pair-runtime/spec.ts';
import pair from '../support/pair-runtime/index.ts';
import * as write from '../support/objects.ts';
import { type PairFileSystem, pairFileSystem } from '../support/pair-exec.ts';
import { boundHarness, type Harness, harness, type HarnessOptions } from './harness.ts';

const PAIR = 'PairRuntime';
/** The same process once more reads what is said in it then. */
const bound = async (env: Record<string, string> = {}, spec: PairRuntimeSpec = {}, files = pairFileSystem()) =>
  boundHarness([write.openDataset('demo'), write.pairRuntime('demo', spec)], { ...options(files), settings: { env } });
const options = ({ exec }: PairFileSystem): HarnessOptions => ({ runtimes: [thin, pair], exec, probeMs: 60_000 });
const LEADER = 'demo-pairfs-master-1/pairfs-master';

const nodeLabels = ({ server }: Harness) => [...new Set(server.all('Node').flatMap(({ metadata }) => Object.keys(metadata.labels ?? {})))];
const workloads = ({ server }: Harness) =>
  server
    .all()
    .filter(({ kind }) => kind.endsWith('Set'))
    .map(({ metadata }) => metadata.name)
    .toSorted();
const image = (at: Harness, kind = 'StatefulSet', name = 'demo-pairfs-worker') =>
  (at.get(kind, name) as unknown as { spec: { template: { spec: { containers: [{ image: string }] } } } }).spec.template.spec.containers[0]
    .image;

describe('a kind with two engines', () => {
  test('is reported under its type; its labels and its status have the name of the engine', async () => {
    const at = await bound();
    expect(workloads(at)).toEqual(['demo-client', 'demo-pairfs-master', 'demo-pairfs-worker']);
    expect(at.dataset()).toMatchObject({ phase: 'Bound', runtimes: [{ type: 'pair' }] });
    expect(at.runtime(PAIR)).toMatchObject({
      valueFile: 'demo-pairnew-values',
      masterNumberReady: 3,
      workerPhase: 'Ready',
      selector: 'app=pairfs,release=demo,role=pairfs-worker',
    });
    expect(nodeLabels(at)).toEqual(expect.arrayContaining(['fluid.io/s-pairnew-ml-demo', 'fluid.io/s-h-pairnew-t-ml-demo']));
  });
  test('keeps the engine that a live runtime has, whatever the installation chooses for others', async () => {
    const env: Record<string, string> = {};
    const at = await bound(env);
    env['PAIR_ENGINE_TYPE'] = 'old';
    at.kill();
    await at.restart();
    at.put(write.openDataset('later'));
    // The runtime has other masters: nothing is mounted there, and it stays as it is.
    at.put(write.pairRuntime('later', { replicas: 0 }));
    at.edit(PAIR, { replicas: 2 });
    await at.quiet();
    expect(at.runtime(PAIR).valueFile).toBe('demo-pairnew-values');
    expect(image(at)).toBe('example.io/pairnew:v1');
    expect(at.runtime(PAIR, 'later').valueFile).toBe('later-pairold-values');
  });
});

describe('teardown leaves no label on a node', () => {
  test.each<[string, (at: Harness) => void]>([
    ['of a runtime that is well', () => {}],
    ['of a spec that cannot be planned', (at) => at.edit(PAIR, { masters: 9 })],
    [
      'of a spec that cannot be planned, when nothing says any more which engine it had',
      (at) => {
        at.edit(PAIR, { masters: 9 });
        const object = at.get(PAIR)!;
        at.put({ ...object, status: { ...(object['status'] as object), valueFile: '' } });
      },
    ],
  ])('%s', async (_, before) => {
    const at = await bound();
    at.kill();
    before(at);
    at.delete(PAIR);
    await at.restart();
    await at.quiet();
    expect(workloads(at)).toEqual([]);
    expect(nodeLabels(at)).toEqual(['kubernetes.io/hostname']);
    expect(at.get(PAIR)).toBeUndefined();
  });
});

describe('a leader', () => {
  test('runs its commands in the container that they name, and gets all mounts in one command', async () => {
    const files = pairFileSystem();
    const at = await bound({}, {}, files);
    expect(at.dataset().phase).toBe('Bound');
    expect(files.mounted).toEqual(new Map([['/data', 's3://bucket']]));
    expect(files.commands).toContain(`${LEADER} pairfs mount /data s3://bucket`);
    const others = files.commands.filter((each) => !each.startsWith(LEADER) && !each.endsWith('/pairfs-master pairfs leader'));
    expect(others).toEqual([]);
  });
  test('that is not elected yet is waited for, and found within seconds', async () => {
    const files = Object.assign(pairFileSystem(), { leader: '' });
    const at = await harness(options(files));
    at.put(write.openDataset('demo'));
    at.put(write.pairRuntime('demo', {}));
    at.start();
    await at.advance(20_000);
    expect(at.dataset().phase).toBe('NotBound');
    expect(at.conditions('Dataset')['NotReady']).toBe('True NoLeader: no master reports that it leads');
    files.leader = 'demo-pairfs-master-2';
    await at.advance(3000);
    expect(at.dataset().phase).toBe('Bound');
    expect(files.commands).toContain('demo-pairfs-master-2/pairfs-master pairfs mount /data s3://bucket');
  });
  test('that changes is followed', async () => {
    const files = pairFileSystem();
    const at = await bound({}, {}, files);
    files.leader = 'demo-pairfs-master-0';
    at.edit('Dataset', {
      mounts: [
        { mountPoint: 's3://bucket', name: 'data' },
        { mountPoint: 's3://more', name: 'more' },
      ],
    });
    await at.quiet();
    expect(files.commands).toContain('demo-pairfs-master-0/pairfs-master pairfs mount /more s3://more');
    expect(at.dataset()).toMatchObject({ phase: 'Bound', mounts: [{ name: 'data' }, { name: 'more' }] });
  });
  test('cleans the cache, for as long as the plan says', async () => {
    const files = pairFileSystem();
    const at = await bound({}, {}, files);
    at.delete(PAIR);
    await at.quiet();
    expect(files.commands).toContain(`${LEADER} pairfs free`);
    expect(pair.bind(planInput()).cleanup?.commands(undefined)).toMatchObject([{ on: 'leader', timeoutSeconds: 7 }]);
  });
});

describe('a row of the mount table', () => {
  const moved = { mounts: [{ mountPoint: 's3://other', name: 'data' }] };
  test('whose source changed is mounted again, and its files are counted again', async () => {
    const files = pairFileSystem();
    const at = await bound({}, {}, files);
    expect(at.dataset().ufsTotal).toBe('1.00KiB');
    files.totalBytes = 4096;
    at.edit('Dataset', moved);
    await at.quiet();
    expect(files.mounted).toEqual(new Map([['/data', 's3://other']]));
    const [unmounted, mounted] = ['unmount /data', 'mount /data s3://other'].map((each) =>
      files.commands.lastIndexOf(`${LEADER} pairfs ${each}`),
    );
    expect(unmounted).toBeGreaterThan(-1);
    expect(mounted).toBe((unmounted ?? 0) + 1);
    expect(at.dataset()).toMatchObject({ phase: 'Bound', mounts: moved.mounts, ufsTotal: '4.00KiB' });
  });
  test('is not in effect until the engine says so', async () => {
    const files = pairFileSystem();
    const at = await bound({}, {}, files);
    files.leader = '';
    at.edit('Dataset', moved);
    await at.advance(30_000);
    expect(at.dataset()).toMatchObject({ mounts: [{ mountPoint: 's3://bucket' }], ufsTotal: '1.00KiB' });
  });
});

test('one function computes the status of the engine, with rates from two answers', async () => {
  const files = pairFileSystem();
  const at = await bound({}, {}, files);
  files.readBytes = 61_440;
  await at.advance(60_000);
  expect(at.dataset()).toMatchObject({
    cacheStates: { cached: '60.00KiB', throughput: '1024 B/s' },
    hcfs: { endpoint: 'pairfs://demo-pairfs-master.ml:8101', underlayerFileSystemVersion: '3.3' },
  });
  expect(at.runtime(PAIR)).toMatchObject({ apiGateway: { endpoint: 'demo-pairfs-master.ml:8080' } });
});

describe('a ConfigMap of the user', () => {
  test('is waited for, and its keys are all that is known of it', async () => {
    const at = await harness(options(pairFileSystem()));
    at.put(write.openDataset('demo'));
    at.put(write.pairRuntime('demo', { hadoopConfig: 'hadoop' }));
    await at.quiet();
    expect(at.conditions('Dataset')['NotReady']).toBe('True DatasetFailedToSetup: ConfigMap hadoop does not exist');
    at.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hadoop' }, data: { 'hdfs-site.xml': 'x', 'core-site.xml': 'y' } });
    await at.advance(60_000);
    expect(at.dataset().phase).toBe('Bound');
    const container = (at.get('DaemonSet', 'demo-client') as unknown as { spec: { template: { spec: { containers: [object] } } } }).spec
      .template.spec.containers[0];
    expect(container).toMatchObject({ env: expect.arrayContaining([{ name: 'FILES', value: 'core-site.xml,hdfs-site.xml' }]) as unknown });
  });
});

test('endpoints of workers are known once they are ready, and the pods that read them are annotated at once', async () => {
  const at = await bound({}, { replicas: 2 });
  const endpoints = () => (at.get('ConfigMap', 'demo-endpoints') as unknown as { data: { endpoints: string } }).data.endpoints.split('\n');
  const ofPod = (name: string) => {
    const { spec, status } = at.get('Pod', name) as unknown as { spec: { nodeName: string }; status: { podIP: string } };
    return `${spec.nodeName}=${status.podIP}`;
  };
  expect(endpoints()).toEqual(['demo-pairfs-worker-0', 'demo-pairfs-worker-1'].map(ofPod));
  at.controllers.unready.add('ml/demo-pairfs-worker');
  await at.quiet();
  expect(endpoints()).toEqual(['']);
  const updates = at.get('Pod', 'demo-pairfs-worker-0')?.metadata.annotations?.['fluid.io/f-update-fuse-config'];
  expect(Number(updates)).toBeGreaterThan(0);
});

test('where nothing is mounted, readers do not wait for a mount, and the directory may be elsewhere in the pod', async () => {
  const at = await bound();
  expect(at.get('PersistentVolume', 'ml-demo')).toMatchObject({
    spec: {
      csi: {
        volumeAttributes: {
          fluid_path: '/runtime-mnt/pair/ml/demo/pairfs-fuse',
          'fluid.io/skip-check-mount-ready-target': 'MountPod',
        },
      },
    },
  });
  expect(JSON.stringify(at.get('DaemonSet', 'demo-client'))).toContain(
    '{"mountPath":"/pairfs","mountPropagation":"Bidirectional","name":"pairfs-fuse-mount"}',
  );
});
