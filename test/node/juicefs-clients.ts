/** Clients of JuiceFS on a real node: what a load does for readers, what a Dataset lacks, and what two Datasets of one volume share. */
import { expect } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { secret } from '../support/objects.ts';
import { condition, says, type Space } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { dataLoad, PATIENCE_S, startReader } from './dataset-users.ts';
import type { Installed } from './installed.ts';
import { explainedWhile, reasonsOf, told } from './slow-reads.ts';

interface Served {
  readonly cluster: Installed;
  readonly space: Space;
  readonly dataset: string;
  /** A Dataset and its runtime, like those that serve, with other values in the Dataset's mount. */
  like(name: string, mount: object): readonly KubeObject[];
}

/** Questions to the pods of a JuiceFSRuntime. */
function clientsOf({ cluster, space }: Served, dataset: string) {
  const { namespace } = space;
  const mountPath = `${cluster.node.mountRoot}/juicefs/${namespace}/${dataset}/juicefs-fuse`;
  const podOf = async (role: 'worker' | 'fuse'): Promise<string> => {
    const pods = (await space.list('Pod')).filter(
      ({ metadata: { labels } }) => labels?.['role'] === `juicefs-${role}` && labels['release'] === dataset,
    );
    return pods[0]?.metadata.name ?? '';
  };
  const exec = async (role: 'worker' | 'fuse', ...argv: readonly string[]) =>
    cluster.plane.kubectl('exec', '-n', namespace, await podOf(role), '--', ...argv);
  /** A counter of the client that serves the node's readers. */
  const counter = async (name: string): Promise<number> => {
    const said = await exec('fuse', 'grep', '-a', `^juicefs_${name} `, `${mountPath}/.stats`);
    return Number(said.trim().split(' ').at(-1));
  };
  return { mountPath, podOf, exec, counter };
}

export async function loadsForReaders(served: Served): Promise<void> {
  const { space, dataset } = served;
  const { mountPath, exec, counter } = clientsOf(served, dataset);
  await step('a DataLoad is for those who already read: their client then gets no byte from the store', async () => {
    const reader = await startReader(served, 'reader', dataset);
    // Another client writes, and forgets what it has written.
    await exec(
      'worker',
      'sh',
      '-ec',
      `head -c 20971520 /dev/urandom > ${mountPath}/loaded; sync; juicefs warmup --evict ${mountPath}/loaded`,
    );
    await space.create(dataLoad('for-readers', dataset, '/loaded'));
    const infos = { Progress: '2 of 2 clients', Files: '1' };
    await space.becomes('DataLoad', 'for-readers', { status: { phase: 'Complete', infos } }, PATIENCE_S);
    const before = await Promise.all([counter('blockcache_hits'), counter('blockcache_miss'), counter('object_request_data_bytes_GET')]);
    await reader.digest('/data/loaded');
    expect(await counter('blockcache_miss')).toBe(before[1]);
    expect(await counter('object_request_data_bytes_GET')).toBe(before[2]);
    expect(await counter('blockcache_hits')).toBeGreaterThan(before[0]);
  });
  await step('what is read for the first time is named as the cause of slow reads', async () => {
    await exec('worker', 'sh', '-ec', `for i in $(seq 15); do head -c 1048576 /dev/urandom > ${mountPath}/cold-$i; done; sync`);
    await exec('worker', 'sh', '-ec', `juicefs warmup --evict ${mountPath}/cold-*`);
    const one = 'dd if=/data/cold-$((i+1)) iflag=direct bs=128k of=/dev/null 2> /dev/null';
    const report = await explainedWhile(served, 'reader', dataset, `sleep 1; [ $i -ge 15 ] || ${one}`);
    expect(reasonsOf(report)[0], told(report)).toBe('Cold');
    expect(report.basis).toBe('now');
    await space.delete('Pod', 'reader');
    await space.gone('Pod', 'reader');
  });
}

/** @param engine address of another, empty metadata engine */
export async function saysWhatIsMissing(served: Served, engine: string): Promise<void> {
  const { space } = served;
  await step('without a storage no volume is made, and the runtime says which option is missing', async () => {
    await space.create(secret('unformatted', { metaurl: engine }));
    const metaurl = { name: 'metaurl', valueFrom: { secretKeyRef: { name: 'unformatted', key: 'metaurl' } } };
    await space.create(...served.like('lacking', { options: { bucket: 'http://minio:9000/bucket' }, encryptOptions: [metaurl] }));
    const message = says("the options of the Dataset's mount lack storage.");
    await space.becomes('JuiceFSRuntime', 'lacking', condition('PodsCrashing', { status: 'True', message }), PATIENCE_S);
    await space.delete('Dataset', 'lacking');
    await space.gone('Dataset', 'lacking', PATIENCE_S);
  });
}

/** @param blocks names of those in the cache of the node */
export async function sharesItsCache(served: Served, blocks: () => readonly string[]): Promise<void> {
  const { space } = served;
  await step('a second Dataset of the volume, deleted, leaves the cache of the first whole', async () => {
    await space.create(...served.like('twin', {}));
    await space.bound('JuiceFSRuntime', 'twin', PATIENCE_S);
    await space.becomes('Pod', 'twin-worker-0', condition('Ready', { status: 'True' }), PATIENCE_S);
    const before = blocks();
    expect(before).not.toEqual([]);
    await space.delete('Dataset', 'twin');
    await space.gone('JuiceFSRuntime', 'twin', PATIENCE_S);
    expect(blocks()).toEqual(before);
  });
}
