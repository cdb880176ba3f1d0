/** FUSE clients that read and do not answer: whoever asks them cannot be killed. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startNode, type TestNode, type TestPlugin, whyNoMounts } from './node.ts';

const reason = whyNoMounts();
if (reason) console.warn(`skipped: ${reason}`);

describe.skipIf(reason)('a FUSE client that hangs', () => {
  let node: TestNode;
  let plugin: TestPlugin;
  let serial = 0;

  beforeAll(async () => {
    node = await startNode();
    plugin = await node.startPlugin({ patienceMs: 300, bindMs: 1000 });
  });
  afterAll(async () => {
    await plugin?.end();
    await node?.close();
  });

  const fusePath = (name: string) => `${node.mountRoot}/thin/ml/${name}/thin-fuse`;
  const newTarget = () => `${node.kubelet}/pods/uid-${++serial}/volumes/kubernetes.io~csi/ml-demo/mount`;
  const stats = (volumePath: string) => plugin.call.nodeGetVolumeStats({ volumeId: 'x', volumePath });
  /** Targets that were bound before the client hung. */
  const boundBefore = (name: string, count: number) =>
    Array.from({ length: count }, () => {
      const target = newTarget();
      node.sh('mkdir -p "$2" && mount -c --bind "$1" "$2"', fusePath(name), target);
      return target;
    });
  /** Children of the plugin that are in the kernel and do not come out. */
  const hanging = () =>
    node
      .sh('pgrep -P "$1"', String(plugin.pid))
      .trim()
      .split('\n')
      .filter((pid) => /\) D /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));

  test('does not keep the plugin from being replaced', async () => {
    const client = await node.silentFuse(fusePath('upgrade'));
    const [target = ''] = boundBefore('upgrade', 1);
    await stats(target);
    expect(hanging()).toHaveLength(1);
    await plugin.end();
    plugin = await node.startPlugin({ patienceMs: 300, bindMs: 1000 });
    await plugin.call.nodeUnpublishVolume({ volumeId: 'x', targetPath: target });
    expect(node.stack(target)).toEqual([]);
    await client.die();
  });
});
