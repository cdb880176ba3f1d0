/** Each sort of write is refused in turn, from set-up to deletion: a condition or an event says why, and the end is the same. */
import { expect, test } from 'vitest';
import { runtimes } from '../../runtimes/_all.gen.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { MemoryExec } from '../support/memory-exec.ts';
import {
  alluxioRuntime,
  cacheRuntime,
  datasetObject,
  efcRuntime,
  jfsDataset,
  jfsRuntime,
  jfsSecret,
  jindoRuntime,
  openDataset,
  thinRuntime,
  vineyardRuntime,
} from '../support/objects.ts';
import { cacheClass } from '../support/plainfs.ts';
import { type Harness, harness } from '../reconciler/harness.ts';
import { load } from '../reconciler/operations/given.ts';
import { refusedInTurn } from './refused-in-turn.ts';

const mounts = [{ mountPoint: 's3://bucket/', name: 'data' }];
const levels = [{ mediumtype: 'SSD' as const, path: '/mnt/disk1', quota: '4Gi' }];
/** The objects of a user, the runtime last. */
const given: Readonly<Record<string, readonly KubeObject[]>> = {
  alluxio: [datasetObject('demo', { mounts }), alluxioRuntime('demo', { replicas: 1, tieredstore: { levels } })],
  cache: [
    datasetObject('demo', { mounts }),
    cacheClass('plain'),
    cacheRuntime('demo', { runtimeClassName: 'plain', worker: { replicas: 1 } }),
  ],
  efc: [
    datasetObject('demo', { mounts: [{ mountPoint: 'nfs://0a0b0c0d-x.cn-hangzhou.nas.aliyuncs.com:/images', name: 'data' }] }),
    efcRuntime('demo', { replicas: 1, tieredstore: { levels } }),
  ],
  jindo: [
    datasetObject('demo', { mounts: [{ mountPoint: 'oss://bucket/', name: 'data', options: { 'fs.oss.endpoint': 'oss.example' } }] }),
    jindoRuntime('demo', { replicas: 1, tieredstore: { levels } }),
  ],
  juicefs: [jfsSecret(), jfsDataset('demo'), jfsRuntime('demo', { replicas: 1 })],
  thin: [openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })],
  vineyard: [
    datasetObject('demo', {}),
    vineyardRuntime('demo', { replicas: 1, tieredstore: { levels: [{ mediumtype: 'MEM', quota: '4Gi' }] } }),
  ],
};

async function begun(kind: string, engines: MemoryExec): Promise<Harness> {
  const at = await harness({ runtimes, exec: engines.exec });
  await at.settle();
  if (kind in given) return at;
  throw new Error(`expected a kind of ${Object.keys(given).join(', ')}, found ${kind}`);
}
async function bound(kind: string, engines: MemoryExec): Promise<Harness> {
  const at = await begun(kind, engines);
  for (const object of given[kind]!) at.put(object);
  await at.quiet();
  expect(at.dataset().phase).toBe('Bound');
  return at;
}
const kindOf = (name: string) => given[name]!.at(-1)!.kind;

const stories = {
  'set-up': { before: begun, act: (at: Harness, kind: string) => given[kind]!.forEach((object) => void at.put(object)) },
  edit: {
    before: bound,
    act: (at: Harness, kind: string) =>
      at.edit(kindOf(kind), { ...(at.get(kindOf(kind))!['spec'] as object), fuse: { nodeSelector: { disk: 'ssd' } } }),
  },
  load: { before: bound, act: (at: Harness) => void at.put(load()) },
  deletion: {
    before: bound,
    act(at: Harness, kind: string) {
      at.delete(kindOf(kind));
      at.delete('Dataset');
    },
  },
} as const;

test.each(Object.keys(given).flatMap((kind) => (Object.keys(stories) as (keyof typeof stories)[]).map((story) => [kind, story] as const)))(
  '%s: %s, of which the API server refuses any one sort of write for two minutes',
  async (kind, story) => {
    const { before, act } = stories[story];
    const { sorts, wrong } = await refusedInTurn({ before: (engines) => before(kind, engines), act: (at) => act(at, kind) });
    expect(sorts.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  },
);
