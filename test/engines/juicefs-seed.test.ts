/** The Dataset and the JuiceFSRuntime of the document that this project began with, on MinIO and Redis. */
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { whyNoJuiceFS } from '../../harness/index.ts';
import { PATIENCE_S } from '../node/dataset-users.ts';
import { canRun } from '../support/can-run.ts';
import { canHaveNode } from '../support/real-node.ts';
import { condition, eventually, says } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { type Stage, startStage } from './juicefs-stage.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 900_000;
const NAME = 'jfsdemo';
const tier = (quota: string) => ({ tieredstore: { levels: [{ mediumtype: 'MEM' as const, path: '/dev/shm', quota }] } });

describe.skipIf(!canHaveNode || !canRun('the Dataset of the document', whyNoJuiceFS()))('the Dataset of the document', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage('seed');
  }, LIMIT);
  afterAll(async () => {
    await stage?.stop();
  }, LIMIT);

  test('says what it lacks; with that it serves, also after its client, and reads once', { timeout: LIMIT }, async () => {
    onTestFailed(async ({ task }) => console.error([JSON.stringify(task.result?.errors), await stage.explain(NAME)].join('\n')));
    const { space } = stage;
    const bucket = stage.bucket('bucket');
    /** Cache directory of this volume, in the memory of the machine, in which others have caches too. */
    let cache = '';
    await step('as written, it names the storage that is missing, and a cache that is none', async () => {
      const [keys, dataset, runtime] = stage.dataset(NAME, {
        volume: 'test',
        mountPoint: 'juicefs:///demo',
        runtime: { replicas: 1, ...tier('40960') },
      });
      const spec = dataset?.['spec'] as { readonly mounts: readonly object[] };
      const written = { ...dataset, spec: { ...spec, mounts: [{ ...spec.mounts[0], options: { bucket } }] } };
      await space.create(keys!, written as typeof dataset & object, runtime!);
      const message = says("the options of the Dataset's mount lack storage.");
      await space.becomes('JuiceFSRuntime', NAME, condition('PodsCrashing', { status: 'True', message }), PATIENCE_S);
      await space.becomes('JuiceFSRuntime', NAME, condition('SpecWarning', { message: says('40960 is less than 1Mi') }), PATIENCE_S);
      expect(await stage.explain(NAME)).toContain('✗ JuiceFSRuntime');
    });
    await step('with a storage and a unit it becomes ready by itself', async () => {
      const { mounts } = (await space.get('Dataset', NAME))['spec'] as { readonly mounts: readonly object[] };
      await space.patch('Dataset', NAME, { spec: { mounts: [{ ...mounts[0], options: { bucket, storage: 'minio' } }] } });
      await space.patch('JuiceFSRuntime', NAME, { spec: tier('64Mi') });
      // The kubelet puts the new script into the pod within a minute or two; until then its container ends again and again.
      await eventually(
        async () => expect(JSON.stringify((await space.get('JuiceFSRuntime', NAME))['status'])).not.toContain('PodsCrashing'),
        PATIENCE_S,
      );
      await space.bound('JuiceFSRuntime', NAME, PATIENCE_S);
    });
    await step('what a pod wrote is there for a new client, whose second read gets nothing from the store', async () => {
      await stage.pod('writer', NAME);
      const digest = 'dd if=/data/bytes iflag=direct bs=1M 2> /dev/null | md5sum';
      const written = await stage.exec('writer', 'sh', '-ec', `head -c 20971520 /dev/urandom > /data/bytes; sync; ${digest}`);
      expect(await stage.exec('minio', 'find', '/data/bucket/test/chunks', '-name', '*_4194304')).not.toBe('');
      const client = await stage.podOf('fuse', NAME);
      await space.delete('Pod', 'writer');
      await space.gone('Pod', 'writer', PATIENCE_S);
      await space.delete('Pod', client ?? '');
      await space.gone('Pod', client ?? '', PATIENCE_S);
      // The cache goes as well: reads must come from the store.
      const status = await stage.inPod('worker', NAME, 'juicefs status "$METAURL" 2> /dev/null');
      cache = `/dev/shm/${/"UUID": *"([0-9a-f-]{36})"/.exec(status)?.[1]}`;
      await stage.inPod('worker', NAME, `ls ${cache} > /dev/null; rm -rf ${cache}/raw/chunks`);
      await stage.pod('reader', NAME);
      expect(await stage.podOf('fuse', NAME)).not.toBe(client);
      const got = () => stage.counter(NAME, 'object_request_data_bytes_GET');
      expect(await stage.exec('reader', 'sh', '-c', digest)).toBe(written);
      const first = await got();
      expect(first).toBeGreaterThanOrEqual(20_971_520);
      const hits = await stage.counter(NAME, 'blockcache_hits');
      expect(await stage.exec('reader', 'sh', '-c', digest)).toBe(written);
      expect(await got()).toBe(first);
      expect(await stage.counter(NAME, 'blockcache_hits')).toBeGreaterThan(hits);
      await eventually(async () =>
        expect(await space.get('Dataset', NAME)).toMatchObject({
          status: { cacheStates: { cached: expect.stringMatching(/MiB$/) as string } },
        }),
      );
    });
    await step('deleted, it leaves nothing in the memory of the node', async () => {
      await space.delete('Pod', 'reader');
      await space.gone('Pod', 'reader', PATIENCE_S);
      await space.delete('Dataset', NAME);
      await space.gone('JuiceFSRuntime', NAME, PATIENCE_S);
      expect(await stage.cluster.node.run('sh', '-c', `ls -d ${cache} 2> /dev/null; :`)).toBe('');
    });
  });
});
