/** Moves of JuiceFS' data, and their ways: loads, migrations, references, quota, Secrets, options that change under readers. */
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { BUSYBOX_IMAGE, whyNoJuiceFS } from '../../harness/index.ts';
import type { DataLoadSpec, DataMigrateSpec, OperationStatus } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { PATIENCE_S } from '../node/dataset-users.ts';
import { canRun } from '../support/can-run.ts';
import { datasetObject } from '../support/objects.ts';
import { canHaveNode } from '../support/real-node.ts';
import { condition, createSpace, eventually as within } from '../support/sluice.ts';
import { createClient } from '../../src/kube/client/kube-client.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import { type Stage, startStage, startWatcher } from './juicefs-stage.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 900_000;
const NAME = 'demo';
const eventually = <T>(check: () => T | Promise<T>) => within(check, PATIENCE_S);
const operation = (kind: string, name: string, spec: object): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind,
  metadata: { name },
  spec,
});
const complete = { status: { phase: 'Complete' } };

describe.skipIf(!canHaveNode || !canRun('data of JuiceFS', whyNoJuiceFS()))('data of JuiceFS', { timeout: LIMIT }, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage('data');
    await stage.serve(NAME, { runtime: { replicas: 1 } });
    await stage.pod('writer', NAME);
    const files =
      'mkdir -p /data/dir/below /data/many; for i in 1 2 3; do head -c 4194304 /dev/urandom > /data/dir/$i; done; cp /data/dir/1 /data/dir/below/4; for i in $(seq 60); do head -c 60000 /dev/urandom > "/data/many/n $i"; done; for i in a b c; do head -c 100000 /dev/urandom > /data/list-$i; done';
    await stage.exec('writer', 'sh', '-ec', files);
  }, LIMIT);
  afterAll(async () => {
    await stage?.stop();
  }, LIMIT);
  const showLogs = () => onTestFailed(({ task }) => console.error(JSON.stringify(task.result?.errors)));
  const load = (name: string, paths: readonly string[], more: Partial<DataLoadSpec> = {}) =>
    operation('DataLoad', name, { dataset: { name: NAME }, target: paths.map((path) => ({ path })), ...more });
  const infosOf = async (kind: 'DataLoad' | 'DataMigrate', name: string) =>
    ((await stage.space.get(kind, name))['status'] as OperationStatus).infos ?? {};
  const evict = () => stage.inPod('fuse', NAME, `juicefs warmup --evict ${stage.mountPath(NAME)}`);
  const got = () => stage.counter(NAME, 'object_request_data_bytes_GET');

  test('a directory, a list of files and a pattern are loaded, with live progress, and then read without the store', async () => {
    showLogs();
    const { space } = stage;
    for (const [name, paths, files, read] of [
      ['directory', ['/dir'], '4', 'dir/*'],
      ['files', ['/list-a', '/list-b'], '2', 'list-a list-b'],
      ['pattern', ['/list-*'], '3', 'list-*'],
    ] as const) {
      await evict();
      await space.create(load(name, paths));
      await eventually(async () => expect((await infosOf('DataLoad', name))['Progress']).toMatch(/^\d of 2 clients$/));
      await space.becomes(
        'DataLoad',
        name,
        { status: { phase: 'Complete', infos: { Progress: '2 of 2 clients', Files: files } } },
        PATIENCE_S,
      );
      const before = await got();
      await stage.exec(
        'writer',
        'sh',
        '-c',
        `cd /data; for f in $(ls -d ${read}); do [ -d "$f" ] || dd if="$f" iflag=direct bs=1M of=/dev/null 2> /dev/null; done`,
      );
      expect(await got()).toBe(before);
    }
  });

  test('a client in the pod of a user is loaded, if it is named', async () => {
    showLogs();
    const { space } = stage;
    await space.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'alone', labels: { 'serverless.fluid.io/inject': 'true' } },
      spec: {
        containers: [
          {
            name: 'main',
            image: BUSYBOX_IMAGE,
            command: ['tail', '-f', '/dev/null'],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: NAME } }],
      },
    });
    await space.becomes('Pod', 'alone', condition('Ready', { status: 'True' }), PATIENCE_S);
    await space.create(load('sidecar', ['/list-c'], { options: { clients: 'alone' } }));
    await space.becomes(
      'DataLoad',
      'sidecar',
      { status: { phase: 'Complete', infos: { Progress: '1 of 1 clients', Files: '1' } } },
      PATIENCE_S,
    );
    const stats =
      'grep -ah "^juicefs_object_request_data_bytes_GET" $(sed -n "s/^[^ ]* \\([^ ]*\\) fuse.juicefs .*/\\1/p" /proc/self/mounts | head -n 1)/.stats';
    const before = await stage.cluster.plane.kubectl('exec', '-n', space.namespace, 'alone', '-c', 'fluid-fuse-0', '--', 'sh', '-c', stats);
    await stage.cluster.plane.kubectl('exec', '-n', space.namespace, 'alone', '-c', 'main', '--', 'cat', '/data/list-c');
    expect(await stage.cluster.plane.kubectl('exec', '-n', space.namespace, 'alone', '-c', 'fluid-fuse-0', '--', 'sh', '-c', stats)).toBe(
      before,
    );
    await space.delete('Pod', 'alone');
    await space.gone('Pod', 'alone', PATIENCE_S);
  });

  test('a load with policy OnEvent runs again after the mount has changed, one with Cron by its schedule', async () => {
    showLogs();
    const { space } = stage;
    await space.create(
      load('on-event', ['/list-a'], { policy: 'OnEvent' }),
      load('each-minute', ['/list-b'], { policy: 'Cron', schedule: '* * * * *' }),
    );
    await space.becomes('DataLoad', 'on-event', complete, PATIENCE_S);
    const first = (await space.get('Job', 'on-event-loader-job')).metadata.uid;
    const { mounts } = (await space.get('Dataset', NAME))['spec'] as { readonly mounts: readonly { readonly options: object }[] };
    const [mount] = mounts;
    await space.patch('Dataset', NAME, { spec: { mounts: [{ ...mount, options: { ...mount?.options, 'attr-cache': '2' } }] } });
    await eventually(async () => expect((await space.get('Job', 'on-event-loader-job')).metadata.uid).not.toBe(first));
    await space.becomes('DataLoad', 'on-event', complete, PATIENCE_S);
    await space.becomes('DataLoad', 'each-minute', { status: { lastSuccessfulTime: expect.any(String) as string } }, PATIENCE_S);
    await space.delete('DataLoad', 'each-minute');
  });

  test('three workers copy into a bucket, of which one is killed, and one pod copies out of it: all files are the same', async () => {
    showLogs();
    const { space } = stage;
    const key = (name: string) => ({ name, valueFrom: { secretKeyRef: { name: `${NAME}-keys`, key: name } } });
    const store = {
      externalStorage: {
        uri: `${stage.bucket('archive').replace('http:', 'minio:')}/kept/`,
        encryptOptions: [key('access-key'), key('secret-key')],
      },
    };
    const data = (path: string) => ({ dataset: { name: NAME, namespace: '', path } });
    const migrate = (name: string, spec: DataMigrateSpec) => operation('DataMigrate', name, spec);
    await stage.exec('minio', 'mkdir', '-p', '/data/archive');
    // A file and more a second for each: one has time to die.
    await space.create(migrate('out', { from: data('/many/'), to: store, parallelism: 3, options: { bwlimit: '1' } }));
    await eventually(async () => expect((await infosOf('DataMigrate', 'out'))['Progress']).toMatch(/^[1-9]\d* of 60 files$/));
    await space.kubectl('delete', 'pod', 'out-migrate-workers-1', '--grace-period=0', '--force');
    await space.becomes('DataMigrate', 'out', { status: { phase: 'Complete', infos: { Files: '60 of 60' } } }, PATIENCE_S);
    await space.create(migrate('back', { from: store, to: data('/back/') }));
    await space.becomes('DataMigrate', 'back', { status: { phase: 'Complete', infos: { Files: '60 of 60' } } }, PATIENCE_S);
    const sums = (path: string) =>
      stage.exec('writer', 'sh', '-ec', `cd /data/${path}; ls -A | sort | while IFS= read -r f; do md5sum "$f"; done`);
    expect(await sums('back')).toBe(await sums('many'));
    expect(await stage.exec('minio', 'sh', '-c', 'find /data/archive -name "*.jfs.*" | wc -l')).toBe('0\n');
  });

  test('options of worker, fuse and Dataset change while a pod reads: it notices nothing', async () => {
    showLogs();
    const { space } = stage;
    const watcher = await startWatcher(stage, 'watcher', NAME, '/data/list-a');
    await eventually(async () => expect(await watcher.now()).toEqual({ held: 'ok', opened: 'ok' }));
    const [worker, fuse] = [await stage.podOf('worker', NAME), await stage.podOf('fuse', NAME)];
    await space.patch('JuiceFSRuntime', NAME, { spec: { worker: { options: { prefetch: '2' } }, fuse: { options: { prefetch: '3' } } } });
    await space.becomes(
      'JuiceFSRuntime',
      NAME,
      condition('PodsOutdated', { status: 'True', message: expect.stringContaining(fuse ?? '') as string }),
      PATIENCE_S,
    );
    expect([await stage.podOf('worker', NAME), await stage.podOf('fuse', NAME)]).toEqual([worker, fuse]);
    await space.delete('Pod', worker ?? '');
    await eventually(async () => expect(await stage.inPod('worker', NAME, 'tr "\\0" " " < /proc/1/cmdline')).toContain('prefetch=2'));
    expect((await watcher.news()).filter(({ said }) => said !== 'ok')).toEqual([]);
    await space.delete('Pod', 'watcher');
    await space.gone('Pod', 'watcher', PATIENCE_S);
  });

  test('a reference reads from another namespace; a directory has its quota; storage and bucket come from a Secret', async () => {
    showLogs();
    const { space, cluster } = stage;
    const keys = { storage: 'minio', bucket: stage.bucket('bucket') };
    const [secretKeys, dataset, runtime] = stage.dataset('secret', { mountPoint: 'juicefs:///team', keys, options: { quota: '1Gi' } });
    const spec = dataset?.['spec'] as { readonly mounts: readonly { readonly options: object }[] };
    const options = { quota: '1Gi' };
    await space.create(secretKeys!, { ...dataset!, spec: { ...spec, mounts: [{ ...spec.mounts[0], options }] } }, runtime!);
    await space.bound('JuiceFSRuntime', 'secret', PATIENCE_S);
    await stage.pod('of-secret', 'secret');
    expect(await stage.exec('of-secret', 'df', '-h', '/data')).toMatch(/ 1\.0G /);
    await expect(
      stage.exec('of-secret', 'sh', '-ec', 'truncate -s 2G /data/much && head -c 10000000 /dev/zero >> /data/much'),
    ).rejects.toThrow(/Disk quota exceeded|No space left/);
    expect(await stage.inPod('fuse', 'secret', 'cat /root/script/script.sh')).not.toContain(keys.bucket);

    const client = createClient(connectionFromKubeconfig([cluster.plane.kubeconfig]), { fieldManager: 'sluice-tests' });
    const other = await createSpace(cluster.plane, client, 'data-reader');
    await space.patch('Dataset', NAME, { metadata: { annotations: { 'data.fluid.io/shared-with': other.namespace } } });
    await other.create(datasetObject('there', { mounts: [{ mountPoint: `dataset://${space.namespace}/${NAME}`, name: 'there' }] }));
    await other.becomes('Dataset', 'there', { status: { phase: 'Bound' } }, PATIENCE_S);
    await other.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'reads' },
      spec: {
        restartPolicy: 'Never',
        containers: [
          {
            name: 'main',
            image: BUSYBOX_IMAGE,
            command: ['sh', '-c', 'wc -c < /data/list-a'],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'there' } }],
      },
    });
    await other.becomes('Pod', 'reads', { status: { phase: 'Succeeded' } }, PATIENCE_S);
    expect((await other.kubectl('logs', 'reads')).trim()).toBe('100000');
    await client.close();
  });
});
