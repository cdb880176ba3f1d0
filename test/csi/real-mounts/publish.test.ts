import { existsSync } from 'node:fs';
import { status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { podPathOf } from '../../../src/csi/kubelet.ts';
import { isWithin } from '../../../src/csi/mounts/mountinfo.ts';
import { canRun } from '../../support/can-run.ts';
import { registrationOf } from './client.ts';
import { startMountNode, type TestNode, whyNoMounts } from './mount-node.ts';
import type { TestPlugin } from './plugin.ts';

const canMount = canRun('tests of mounts', whyNoMounts());

const RWX = { accessType: { case: 'mount', value: {} }, accessMode: { mode: 5 } } as const;
const ROX = { accessType: { case: 'mount', value: {} }, accessMode: { mode: 3 } } as const;

describe.skipIf(!canMount)('publishing', () => {
  let node: TestNode;
  let plugin: TestPlugin;

  beforeAll(async () => {
    node = await startMountNode();
    plugin = await node.startPlugin({ patienceMs: 300 });
  });
  afterAll(async () => {
    await plugin?.end();
    await node?.close();
  });

  const attributes = (name: string, more: Record<string, string> = {}) => ({
    fluid_path: node.fusePath(name),
    mount_type: 'tmpfs',
    runtime_namespace: 'ml',
    runtime_name: name,
    mount_pod_node_selector_key: `fluid.io/f-ml-${name}`,
    ...more,
  });
  /** A file system where a fuse pod would mount one. */
  const serve = (name: string, script = 'echo hello >f') => {
    node.sh('mkdir -p "$1" && mount -t tmpfs live "$1" && cd "$1" && eval "$2"', node.fusePath(name), script);
  };
  const publish = (name: string, targetPath: string, more: Record<string, string> = {}, volumeCapability: typeof RWX | typeof ROX = RWX) =>
    plugin.call.nodePublishVolume({ volumeId: `ml-${name}`, targetPath, volumeCapability, volumeContext: attributes(name, more) });
  const unpublish = (name: string, targetPath: string) => plugin.call.nodeUnpublishVolume({ volumeId: `ml-${name}`, targetPath });

  test('the host sees what was bound in the plugin, and can write', async () => {
    serve('rw');
    const target = node.newTarget();
    await publish('rw', target);
    expect(node.sh('cat "$1/f" && echo more >"$1/g"', target)).toBe('hello\n');
    await unpublish('rw', target);
    expect(node.stack(target)).toEqual([]);
    expect(node.sh('test ! -e "$1" && echo gone', target)).toBe('gone\n');
  });

  test('what is read-only is so on the host, not only in the plugin', async () => {
    serve('ro');
    const target = node.newTarget();
    await publish('ro', target, {}, ROX);
    expect(node.sh('cat "$1/f"', target)).toBe('hello\n');
    expect(() => node.sh('touch "$1/g"', target)).toThrow('Read-only file system');
    await unpublish('ro', target);
  });

  test('publishing again mounts nothing more', async () => {
    serve('again');
    const target = node.newTarget();
    for (let i = 0; i < 3; i++) await publish('again', target);
    expect(node.stack(target)).toHaveLength(1);
    for (let i = 0; i < 2; i++) await unpublish('again', target);
    expect(node.stack(target)).toEqual([]);
  });

  test('a path is the same however it is written', async () => {
    serve('odd');
    const target = node.newTarget();
    const odd = `${target.replace('/volumes/', '//volumes/./')}/`;
    await publish('odd', odd);
    await publish('odd', target);
    expect(node.stack(target)).toHaveLength(1);
    await unpublish('odd', odd);
    expect(node.stack(target)).toEqual([]);
  });

  test('waits for the mount, and is done as soon as it is there', async () => {
    const target = node.newTarget();
    await expect(publish('late', target)).rejects.toMatchObject({
      code: status.UNAVAILABLE,
      details: expect.stringContaining('not mounted yet'),
    });
    // As the kubelet asks: again, for as long as it takes.
    const asked = expect.poll(() => publish('late', target).then(() => 'done', String)).toBe('done');
    serve('late');
    await asked;
    expect(node.sh('cat "$1/f"', target)).toBe('hello\n');
  });

  test('says why it waited, as the fuse pod has it', async () => {
    const owner = { kind: 'DaemonSet', name: 'slow-fuse' };
    const pod = (state: object) => ({
      metadata: { name: 'slow-fuse-x', uid: 'uid-slow', ownerReferences: [owner] },
      status: { phase: 'Pending', containerStatuses: [{ name: 'fuse', restartCount: 2, ...state }] },
    });
    for (const [pods, why] of [
      [[], 'fuse pod of ml/slow on node node-1 does not exist yet, or waits for its volumes'],
      [[pod({ state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } })], '(ImagePullBackOff): no such image'],
      [
        [
          pod({
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 1, reason: 'Error', message: 'bucket not found\n' } },
          }),
        ],
        'now CrashLoopBackOff; it ended with code 1 (Error): bucket not found',
      ],
    ] as const) {
      node.write({ pods: { ml: [...pods] } });
      await expect(
        publish('slow', node.newTarget(), { 'csi.storage.k8s.io/pod.namespace': 'ml', 'csi.storage.k8s.io/pod.name': 'app' }),
      ).rejects.toMatchObject({
        code: status.UNAVAILABLE,
        details: expect.stringMatching(new RegExp(`^${node.fusePath('slow')} is not mounted yet: .*${escaped(why)}$`)),
      });
    }
  });

  test('once it was said why, goes on waiting for as long as the pod is wanted', async () => {
    const target = node.newTarget();
    const { podUid: uid = '' } = podPathOf(target, node.kubelet) ?? {};
    const given = (more: object) =>
      node.write({
        volumes: { 'ml-demo': { attributes: {}, claim: { namespace: 'ml', name: 'demo' } } },
        pods: { ml: [{ metadata: { name: 'app', uid, ...more } }] },
      });
    const again = (name: string, timeoutMs: number) =>
      plugin.call.nodePublishVolume(
        { volumeId: `ml-${name}`, targetPath: target, volumeCapability: RWX, volumeContext: attributes(name) },
        { timeoutMs },
      );
    given({});
    await expect(publish('patient', target)).rejects.toMatchObject({ code: status.UNAVAILABLE });
    await expect(again('patient', 4_000)).rejects.toMatchObject({ code: status.UNAVAILABLE });
    let answered = false;
    const deleted = again('patient', 600_000).finally(() => (answered = true));
    deleted.catch(() => {});
    for (let i = 0; i < 3; i++) await expect(publish('other', node.newTarget())).rejects.toMatchObject({ code: status.UNAVAILABLE });
    expect(answered).toBe(false);
    given({ deletionTimestamp: 'now' });
    await expect(deleted).rejects.toMatchObject({ code: status.UNAVAILABLE });
    given({});
    const waiting = again('patient', 600_000);
    for (let i = 0; i < 3; i++) await expect(publish('other', node.newTarget())).rejects.toMatchObject({ code: status.UNAVAILABLE });
    serve('patient');
    await waiting;
    expect(node.sh('cat "$1/f"', target)).toBe('hello\n');
  });

  test('where no mount is asked for, whatever is there is bound, and nothing is waited for', async () => {
    const target = node.newTarget();
    const skip = { 'fluid.io/skip-check-mount-ready-target': 'MountPod' };
    await expect(publish('plain', target, skip)).rejects.toMatchObject({ details: expect.stringContaining('does not exist') });
    node.sh('mkdir -p "$1" && echo plain >"$1/f"', node.fusePath('plain'));
    await publish('plain', target, skip);
    expect(node.sh('cat "$1/f"', target)).toBe('plain\n');
  });

  test('what a fuse pod puts in the place of its directory leads nowhere', async () => {
    const target = node.newTarget();
    const skip = { 'fluid.io/skip-check-mount-ready-target': 'All' };
    node.sh('mkdir -p "$(dirname "$1")" && ln -s /etc "$1"', node.fusePath('astray'));
    await expect(publish('astray', target, skip)).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('symbolic link'),
    });
    expect(node.stack(target)).toEqual([]);
  });

  test('a volume that was linked is bound once it is read-only, on its own path', async () => {
    serve('relinked');
    const target = node.newTarget();
    await publish('relinked', target, { node_publish_method: 'symlink' });
    await publish('relinked', target, { node_publish_method: 'symlink' }, ROX);
    expect([node.stack(node.fusePath('relinked')).length, node.stack(target).length]).toEqual([1, 1]);
    expect(() => node.sh('touch "$1/g"', target)).toThrow('Read-only file system');
  });

  test('a sub path that leads out of the mount is refused', async () => {
    serve('sub', 'mkdir -p a/b && echo deep >a/b/f && ln -s /etc out && ln -s a inside');
    const target = node.newTarget();
    await publish('sub', target, { fluid_sub_path: '/a/b/' });
    expect(node.sh('cat "$1/f"', target)).toBe('deep\n');
    for (const [path, code] of [
      ['../x', status.INVALID_ARGUMENT],
      ['out', status.INVALID_ARGUMENT],
      ['inside/b', status.INVALID_ARGUMENT],
      ['nowhere', status.NOT_FOUND],
    ] as const) {
      const refused = node.newTarget();
      await expect(publish('sub', refused, { fluid_sub_path: path })).rejects.toMatchObject({ code });
      expect(node.stack(refused)).toEqual([]);
    }
  });

  test('links where the volume says so', async () => {
    serve('link');
    const target = node.newTarget();
    for (let i = 0; i < 2; i++) await publish('link', target, { node_publish_method: 'symlink' });
    expect(node.sh('readlink "$1" && cat "$1/f"', target)).toBe(`${node.fusePath('link')}\nhello\n`);
    await unpublish('link', target);
    expect(node.sh('test ! -e "$1" && echo gone', target)).toBe('gone\n');
    expect(node.sh('cat "$1/f"', node.fusePath('link'))).toBe('hello\n');
  });

  test('a client that does not answer holds up nothing but its own volume', async () => {
    const fuse = node.fuse(node.fusePath('hung'));
    serve('other');
    const [hung, other] = [node.newTarget(), node.newTarget()];
    const asked = publish('hung', hung, { mount_type: 'fuse' });
    asked.catch(() => {});
    await publish('other', other);
    await unpublish('other', other);
    await expect(asked).rejects.toMatchObject({ code: status.UNAVAILABLE, details: expect.stringContaining('has not answered') });
    // Mounted before it hung.
    node.sh('mkdir -p "$2" && mount -c --bind "$1" "$2" && mount -c --bind "$1" "$2"', node.fusePath('hung'), hung);
    const stats = await plugin.call.nodeGetVolumeStats({ volumeId: 'ml-hung', volumePath: hung });
    expect(stats.volumeCondition).toMatchObject({ abnormal: true });
    await unpublish('hung', hung);
    expect(node.stack(hung)).toEqual([]);
    fuse.die();
  });

  test('unmounts what another mount hides', async () => {
    serve('hidden', 'mkdir sub a a/b');
    const target = node.newTarget();
    const script =
      'mkdir -p "$2" && mount --bind "$1" "$2" && mount -t tmpfs x "$2/sub" && mount -t tmpfs x "$2/a/b" && mount -t tmpfs x "$2/a" && mount --bind "$1" "$2"';
    node.sh(script, node.fusePath('hidden'), target);
    await unpublish('hidden', target);
    expect(node.mounts().filter(({ mountPoint }) => isWithin(mountPoint, target))).toEqual([]);
  });

  test('unmounts what is dead, stacked, in use or gone', async () => {
    const fuse = node.fuse(node.fusePath('dead'));
    const target = node.newTarget();
    node.sh('mkdir -p "$2" && for i in 1 2 3; do mount -c --bind "$1" "$2"; done', node.fusePath('dead'), target);
    fuse.die();
    await unpublish('dead', target);
    await unpublish('dead', target);
    expect(node.stack(target)).toEqual([]);
    serve('busy');
    const busy = node.newTarget();
    await publish('busy', busy);
    node.sh('cd "$1" && exec sleep 60 >/dev/null 2>&1 & echo $! >"$2/pid"', busy, node.dir);
    await unpublish('busy', busy);
    expect(node.stack(busy)).toEqual([]);
    node.sh('kill "$(cat "$1/pid")"', node.dir);
  });

  test('says how full a linked directory is that need not be a mount', async () => {
    const target = node.newTarget();
    node.sh('mkdir -p "$1"', node.fusePath('plainly'));
    await publish('plainly', target, { node_publish_method: 'symlink', 'fluid.io/skip-check-mount-ready-target': 'All' });
    const stats = () => plugin.call.nodeGetVolumeStats({ volumeId: 'ml-plainly', volumePath: target });
    await expect(stats()).resolves.toMatchObject({ usage: [{ unit: 1 }, { unit: 2 }], volumeCondition: { abnormal: false } });
    // Not ours.
    node.sh('rm "$1" && ln -s /etc "$1"', target);
    await expect(stats()).rejects.toMatchObject({ code: status.NOT_FOUND });
  });

  test('says how full a volume is', async () => {
    serve('full', 'head -c 1048576 /dev/zero >f');
    const target = node.newTarget();
    await publish('full', target);
    const { usage, volumeCondition } = await plugin.call.nodeGetVolumeStats({ volumeId: 'ml-full', volumePath: target });
    expect(usage.find(({ unit }) => unit === 1)?.used).toBe(1048576n);
    expect(volumeCondition).toMatchObject({ abnormal: false });
    await expect(plugin.call.nodeGetVolumeStats({ volumeId: 'x', volumePath: '/nowhere' })).rejects.toMatchObject({
      code: status.NOT_FOUND,
    });
  });

  test('does not take the socket of another plugin', async () => {
    const other = node.startPlugin({ endpoint: `${node.kubelet}/other.sock`, handOverMs: 0 });
    await expect(other).rejects.toThrow('another process serves it');
  });

  test('gives way to its successor: calls under way end, and new ones come through', async () => {
    const before = plugin;
    const ending = Promise.withResolvers<void>();
    const successor = node.startPlugin({ patienceMs: 300 }, ({ msg }) => {
      if (msg === 'another process serves this socket; waiting until it ends') ending.resolve();
    });
    await ending.promise;
    const asked = before.call.nodePublishVolume({
      volumeId: 'ml-over',
      targetPath: node.newTarget(),
      volumeCapability: RWX,
      volumeContext: attributes('over'),
    });
    asked.catch(() => {});
    // It comes after the other, and so does the signal.
    await before.call.probe({});
    process.kill(before.pid, 'SIGTERM');
    plugin = await successor;
    await expect(asked).rejects.toMatchObject({ details: expect.stringContaining('is not mounted yet') });
    await before.end();
    const target = node.newTarget();
    serve('over');
    await publish('over', target);
    expect(node.sh('cat "$1/f"', target)).toBe('hello\n');
  });

  test('the kubelet finds it', async () => {
    const socket = `${node.kubelet}/plugins_registry/fuse.csi.fluid.io-reg.sock`;
    const kubelet = registrationOf(socket, plugin.pid);
    await expect(kubelet.getInfo({})).resolves.toMatchObject({
      type: 'CSIPlugin',
      name: 'fuse.csi.fluid.io',
      supportedVersions: ['1.0.0'],
    });
    await kubelet.notifyRegistrationStatus({ pluginRegistered: true });
    kubelet.close();
  });

  afterEach(() => {
    // Nothing of ours stays on the way.
    expect(plugin.mounts().filter(({ mountPoint }) => /sluice-csi-\w+\/\d+$/.test(mountPoint))).toEqual([]);
  });

  test('stops without a trace, and mounts stay', async () => {
    serve('stay');
    const target = node.newTarget();
    await publish('stay', target);
    await plugin.end();
    expect(node.sh('cat "$1/f"', target)).toBe('hello\n');
    expect(existsSync(`/proc/${plugin.pid}`)).toBe(false);
    expect(node.sh('ls "$1/plugins_registry" "$1/csi-plugins/fuse.csi.fluid.io" | grep sock || echo none', node.kubelet)).toBe('none\n');
    plugin = await node.startPlugin();
    await unpublish('stay', target);
    expect(node.stack(target)).toEqual([]);
  });
});

const escaped = (text: string): string => text.replace(/[()]/g, '\\$&');
