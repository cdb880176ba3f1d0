/** Data that is counted again: the cache probe says for nothing that it may have changed, and to count it is dear. */
import { expect, test } from 'vitest';
import { defaultAnswer } from '../../src/playground/engines/juicefs.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { jfsDataset, jfsRuntime, jfsSecret } from '../support/objects.ts';
import { boundHarness } from './harness.ts';

const MINUTE = 60_000;
const GIB = 2 ** 30;

/** A directory of a volume, with a reader. */
async function served() {
  const volume = { inodes: 4, bytes: GIB, counts: 0, countMs: 0, fails: false };
  const dataset = jfsDataset('demo');
  const [mount] = (dataset['spec'] as { readonly mounts: readonly object[] }).mounts;
  const spec = { ...(dataset['spec'] as object), mounts: [{ ...mount, mountPoint: 'juicefs:///team' }] };
  const at = await boundHarness([jfsSecret(), { ...dataset, spec }, jfsRuntime('demo')], {
    probeMs: MINUTE,
    async exec(where, argv) {
      const line = argv.join(' ');
      if (line.includes('summary')) {
        volume.counts++;
        if (volume.fails) throw new Error('no answer');
        const { bytes, inodes } = volume;
        await new Promise((resolve) => setTimeout(resolve, volume.countMs));
        return `/,${bytes},1,${inodes}\n`;
      }
      const said =
        defaultAnswer({ ...where, argv, stdin: false, tty: false } as unknown as Parameters<typeof defaultAnswer>[0])?.stdout ?? '';
      return said.replace(/^juicefs_used_inodes .*$/m, `juicefs_used_inodes ${volume.inodes}`);
    },
  });
  const node = at.get('Node', 'node-1') as KubeObject;
  at.put({ ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, 'fluid.io/f-ml-demo': 'true' } } });
  await at.advance(2 * MINUTE);
  return { at, volume };
}

test('a size is counted again once the volume has changed, five minutes after the last count at the earliest', async () => {
  const { at, volume } = await served();
  expect(at.dataset()).toMatchObject({ ufsTotal: '1.00GiB', fileNum: '4' });
  await at.advance(30 * MINUTE);
  expect(volume.counts).toBe(1);
  Object.assign(volume, { inodes: 5, bytes: 2 * GIB });
  await at.advance(2 * MINUTE);
  expect(at.dataset()).toMatchObject({ ufsTotal: '2.00GiB', fileNum: '5' });
  expect(volume.counts).toBe(2);
  for (let i = 0; i < 3; i++) {
    volume.inodes++;
    await at.advance(MINUTE);
  }
  expect(volume.counts).toBe(2);
  await at.advance(3 * MINUTE);
  expect(at.dataset()).toMatchObject({ fileNum: '8' });
  expect(volume.counts).toBe(3);
});

test('a volume that changes all the time is counted for at most a twentieth of the time', async () => {
  const { at, volume } = await served();
  volume.countMs = MINUTE;
  for (let i = 0; i < 100; i++) {
    volume.inodes++;
    await at.advance(MINUTE);
  }
  expect(volume.counts).toBeGreaterThan(3);
  expect(volume.counts).toBeLessThanOrEqual(7);
  expect(at.dataset().ufsTotal).toBe('1.00GiB');
});

test('the pause after a count is that of the count, however long it could not be made', async () => {
  const { at, volume } = await served();
  await at.advance(6 * MINUTE);
  volume.fails = true;
  volume.inodes = 5;
  await at.advance(120 * MINUTE);
  volume.fails = false;
  await at.advance(60 * MINUTE);
  expect(at.dataset()).toMatchObject({ fileNum: '5' });
  volume.inodes = 6;
  await at.advance(15 * MINUTE);
  expect(at.dataset()).toMatchObject({ fileNum: '6' });
});

test('a count that always fails is tried once an hour in the end', async () => {
  const { at, volume } = await served();
  await at.advance(6 * MINUTE);
  volume.fails = true;
  volume.inodes = 5;
  await at.advance(120 * MINUTE);
  const before = volume.counts;
  await at.advance(600 * MINUTE);
  expect(volume.counts - before).toBeGreaterThan(8);
  expect(volume.counts - before).toBeLessThan(12);
});
