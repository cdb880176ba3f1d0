import { expect, test } from 'vitest';
import { fuseRelease } from '../../../src/csi/stage/fuse-release.ts';
import { createLocks } from '../../../src/csi/grpc/locks.ts';
import { nodeLabels } from '../../../src/csi/cluster/own-node-labels.ts';
import { silent } from '../../../src/kube/types.ts';
import { manualClock } from '../../support/manual-clock.ts';

test('the log says that a label was removed only after the node has lost it', async () => {
  const said: string[] = [];
  const answers = [() => Promise.reject(new Error('the API server is away')), () => Promise.resolve()];
  const release = fuseRelease({
    labels: nodeLabels({ labelNode: () => answers.shift()!() }),
    locks: createLocks(),
    clock: manualClock(),
    log: { ...silent, info: (_, message) => void said.push(message) },
    // Nothing is staged there.
    kubeletDir: import.meta.dirname,
    mountRoot: '/runtime-mnt',
    method: 'bind',
    cluster: { volume: async () => undefined, dataset: async () => undefined },
    staged: { get: () => undefined, keep() {}, forget() {} },
  });
  await expect(release.leave('ml-demo', 'fluid.io/f-ml-demo')).rejects.toThrow('the API server is away');
  expect(said).toEqual([]);
  expect(await release.leave('ml-demo', 'fluid.io/f-ml-demo')).toBe(true);
  expect(said).toEqual(['label removed']);
});
