/** FUSE clients that read and do not answer: a process that waits for one cannot be killed. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { describePlugin } from './describe-plugin.ts';

describePlugin('a FUSE client that hangs', { patienceMs: 300, bindMs: 1000 }, (at) => {
  const publish = (name: string, targetPath: string) =>
    at.plugin.call.nodePublishVolume({
      volumeId: `ml-${name}`,
      targetPath,
      volumeCapability: { accessType: { case: 'mount', value: {} }, accessMode: { mode: 5 } },
      volumeContext: { fluid_path: at.node.fusePath(name), mount_type: '' },
    });
  const stats = (volumePath: string) => at.plugin.call.nodeGetVolumeStats({ volumeId: 'x', volumePath });
  /** Targets that were bound before the client hung. */
  const boundBefore = (name: string, count: number) =>
    Array.from({ length: count }, () => {
      const target = at.node.newTarget();
      at.node.sh('mkdir -p "$2" && mount -c --bind "$1" "$2"', at.node.fusePath(name), target);
      return target;
    });
  /** Processes in the plugin's mount namespace that are in the kernel and do not come out. */
  const hanging = () => {
    const namespace = readlinkSync(`/proc/${at.plugin.pid}/ns/mnt`);
    return readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid))
      .filter((pid) => {
        try {
          return readlinkSync(`/proc/${pid}/ns/mnt`) === namespace && /\) D /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
        } catch {
          // The process has just ended.
          return false;
        }
      });
  };
  const notAnswering = { code: status.UNAVAILABLE, details: expect.stringContaining('has not answered since') };

  test('holds up a few children, however often it is asked; others are served meanwhile, and all is well after its end', async () => {
    const client = await at.node.silentFuse(at.node.fusePath('hung'));
    const targets = boundBefore('hung', 8);
    const first = await Promise.all(targets.map(stats));
    expect(first.map(({ volumeCondition }) => volumeCondition?.abnormal)).toEqual(targets.map(() => true));
    // One that was killed first wakes, and then waits on as who cannot be: for a moment it is not among them.
    let held: readonly string[] = [];
    await expect.poll(() => (held = hanging())).toHaveLength(4);
    // No later call hangs either.
    for (const target of targets) await expect(stats(target)).resolves.toMatchObject({ volumeCondition: { abnormal: true } });
    await expect(publish('hung', at.node.newTarget())).rejects.toMatchObject(notAnswering);
    await expect.poll(hanging).toEqual(held);
    at.node.sh('mkdir -p "$1" && mount -t tmpfs live "$1"', at.node.fusePath('other'));
    const other = at.node.newTarget();
    await publish('other', other);
    await expect(stats(other)).resolves.toMatchObject({ volumeCondition: { abnormal: false } });

    await client.die();
    at.node.sh('umount -c -l "$1" && mount -t tmpfs live "$1"', at.node.fusePath('hung'));
    const again = at.node.newTarget();
    await publish('hung', again);
    await expect(stats(again)).resolves.toMatchObject({ volumeCondition: { abnormal: false } });
    await expect.poll(hanging).toEqual([]);
  });

  test('does not keep the plugin from being replaced', async () => {
    const client = await at.node.silentFuse(at.node.fusePath('upgrade'));
    const [target = ''] = boundBefore('upgrade', 1);
    await stats(target);
    await expect.poll(hanging).toHaveLength(1);
    await at.plugin.end();
    at.plugin = await at.node.startPlugin({ patienceMs: 300, bindMs: 1000 });
    await at.plugin.call.nodeUnpublishVolume({ volumeId: 'x', targetPath: target });
    expect(at.node.stack(target)).toEqual([]);
    await client.die();
  });
});
