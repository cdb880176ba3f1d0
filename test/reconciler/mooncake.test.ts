/** examples/mooncake: a Dataset whose CacheRuntimeClass has no client. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import cache from '../../runtimes/cache/index.ts';
import thin from '../../runtimes/thin/index.ts';
import { objectsIn } from '../support/objects.ts';
import { memorySpace } from './memory-space.ts';

const EXAMPLE = join(import.meta.dirname, '../../examples/mooncake');
const objects = ['class.yaml', 'dataset.yaml'].flatMap((file) => objectsIn(readFileSync(join(EXAMPLE, file), 'utf8')));

test('a Dataset is Bound by a class without clients, has what its store reports, and leaves nothing', async () => {
  const space = await memorySpace({ runtimes: [cache, thin], probeMs: 60_000 });
  const summary = { cached: '0.25GiB', cacheCapacity: '12.00GiB', cachedPercentage: '2.1%', fileNum: 3 };
  space.exec.answer({ argv: ['python3', '/opt/mooncake/summary.py'], stdout: JSON.stringify(summary) });
  const [kind, ...rest] = objects.map((object) => ({ ...object, metadata: { ...object.metadata } }));
  if (kind) await space.create(kind);
  await space.create(...rest.map((object) => ({ ...object, metadata: { ...object.metadata, namespace: space.namespace } })));
  await space.bound('CacheRuntime', 'kvdemo');
  await space.becomes('Dataset', 'kvdemo', { status: { cacheStates: { cached: '0.25GiB', cacheCapacity: '12.00GiB' }, fileNum: '3' } });
  expect(await space.made()).toEqual(expect.arrayContaining(['StatefulSet/kvdemo-master', 'StatefulSet/kvdemo-worker']));
  expect((await space.made()).filter((name) => name.startsWith('DaemonSet/'))).toEqual([]);
  await space.leavesNothing('kvdemo');
});
