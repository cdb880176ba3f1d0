import { existsSync } from 'node:fs';
import { status } from '@grpc/grpc-js';
import { afterEach, expect, test } from 'vitest';
import { podPathOf } from '../../../src/csi/kubelet.ts';
import { isWithin } from '../../../src/csi/mounts/mountinfo.ts';
import { registrationOf } from './client.ts';
import { describePlugin } from './describe-plugin.ts';

const RWX = { accessType: { case: 'mount', value: {} }, accessMode: { mode: 5 } } as const;
const ROX = { accessType: { case: 'mount', value: {} }, accessMode: { mode: 3 } } as const;

describePlugin('publishing', { patienceMs: 300 }, (at) => {
  const attributes = (name: string, more: Record<string, string> = {}) => ({
    fluid_path: at.node.fusePath(name),
    mount_type: 'tmpfs',
    runtime_namespace: 'ml',
    runtime_name: name,
    mount_pod_node_selector_key: `fluid.io/f-ml-${name}`,
    ...more,
  });
  /** A file system where a fuse pod would mount one. */
  const serve = (name: string, script = 'echo hello >f') => {
    at.node.sh('mkdir -p "$1" && mount -t tmpfs live "$1" && cd "$1" && eval "$2"', at.node.fusePath(name), script);
  };
  const publish = (name: string, targetPath: string, more: Record<string, string> = {}, volumeCapability: typeof RWX | typeof ROX = RWX) =>
    at.plugin.call.nodePublishVolume({ volumeId: `ml-${name}`, targetPath, volumeCapability, volumeContext: attributes(name, more) });
  const unpublish = (name: string, targetPath: string) => at.plugin.call.nodeUnpublishVolume({ volumeId: `ml-${name}`, targetPath });

  test('the host sees what was bound in the plugin, and can write', async () => {
    serve('rw');
    const target = at.node.newTarget();
    await publish('rw', target);
    expect(at.node.sh('cat "$1/f" && echo more >"$1/g"', target)).toBe('hello\n');
    await unpublish('rw', target);
    expect(at.node.stack(target)).toEqual([]);
    expect(at.node.sh('test ! -e "$1" && echo gone', target)).toBe('gone\n');
  });

  test('a read-only mount is so on the host, not only in the plugin', async () => {
    serve('ro');
    const target = at.node.newTarget();
    await publish('ro', target, {}, ROX);
    expect(at.node.sh('cat "$1/f"', target)).toBe('hello\n');
    expect(() => at.node.sh('touch "$1/g"', target)).toThrow('Read-only file system');
    await unpublish('ro', target);
  });

  test('publishing again mounts nothing more', async () => {
    serve('again');
    const target = at.node.newTarget();
    for (let i = 0; i < 3; i++) await publish('again', target);
    expect(at.node.stack(target)).toHaveLength(1);
    for (let i = 0; i < 2; i++) await unpublish('again', target);
    expect(at.node.stack(target)).toEqual([]);
  });

  test('a path is the same however it is written', async () => {
    serve('odd');
    const target = at.node.newTarget();
    const odd = `${target.replace('/volumes/', '//volumes/./')}/`;
    await publish('odd', odd);
    await publish('odd', target);
    expect(at.node.stack(target)).toHaveLength(1);
    await unpublish('odd', odd);
    expect(at.node.stack(target)).toEqual([]);
  });

  test('waits for the mount, and is done as soon as it is there', async () => {
    const target = at.node.newTarget();
    await expect(publish('late', target)).rejects.toMatchObject({
      code: status.UNAVAILABLE,
      details: expect.stringContaining('not mounted yet'),
    });
    // As the kubelet asks: again, for as long as it takes.
    const asked = expect.poll(() => publish('late', target).then(() => 'done', String)).toBe('done');
    serve('late');
    await asked;
    expect(at.node.sh('cat "$1/f"', target)).toBe('hello\n');
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
      at.node.write({ pods: { ml: [...pods] } });
      await expect(
        publish('slow', at.node.newTarget(), { 'csi.storage.k8s.io/pod.namespace': 'ml', 'csi.storage.k8s.io/pod.name': 'app' }),
      ).rejects.toMatchObject({
        code: status.UNAVAILABLE,
        details: expect.stringMatching(new RegExp(`^${at.node.fusePath('slow')} is not mounted yet: .*${escaped(why)}$`)),
      });
    }
  });

  test('ends at once when the target is unpublished', { timeout: 60_000 }, async () => {
    const target = at.node.newTarget();
    const path = at.node.fusePath('ends');
    const plugin = at.plugin.call;
    const call = () =>
      plugin
        .nodePublishVolume({
          volumeId: 'ml-ends',
          targetPath: target,
          volumeCapability: RWX,
          volumeContext: { fluid_path: path, mount_type: 'tmpfs', ...podInfo },
        })
        .then(
          () => 'ok',
          (error: { code: number }) => error.code,
        );
    const podInfo = { 'csi.storage.k8s.io/pod.namespace': 'ml', 'csi.storage.k8s.io/pod.name': 'ends' };
    at.node.write({
      pods: { ml: [{ metadata: { name: 'ends', namespace: 'ml', uid: podPathOf(target, at.node.kubelet)?.podUid ?? '' } }] },
    });
    expect(await call()).toBe(status.UNAVAILABLE);
    const waiting = call();
    // The first call waits: a second one is rejected.
    await expect.poll(call).toBe(status.ABORTED);
    await plugin.nodeUnpublishVolume({ volumeId: 'ml-ends', targetPath: target });
    expect(await waiting).toBe(status.ABORTED);
    // A later mount is not bound for a pod that is gone.
    at.node.sh('mkdir -p "$1" && mount -t tmpfs live "$1"', path);
    expect(at.node.stack(target)).toEqual([]);
  });

  test('once it was said why, goes on waiting for as long as the pod is wanted', async () => {
    const target = at.node.newTarget();
    const { podUid: uid = '' } = podPathOf(target, at.node.kubelet) ?? {};
    const given = (more: object) =>
      at.node.write({
        volumes: { 'ml-demo': { attributes: {}, claim: { namespace: 'ml', name: 'demo' } } },
        pods: { ml: [{ metadata: { name: 'app', uid, ...more } }] },
      });
    const again = (name: string, timeoutMs: number) =>
      at.plugin.call.nodePublishVolume(
        { volumeId: `ml-${name}`, targetPath: target, volumeCapability: RWX, volumeContext: attributes(name) },
        { timeoutMs },
      );
    given({});
    await expect(publish('patient', target)).rejects.toMatchObject({ code: status.UNAVAILABLE });
    await expect(again('patient', 4_000)).rejects.toMatchObject({ code: status.UNAVAILABLE });
    let answered = false;
    const deleted = again('patient', 600_000).finally(() => (answered = true));
    deleted.catch(() => {});
    for (let i = 0; i < 3; i++) await expect(publish('other', at.node.newTarget())).rejects.toMatchObject({ code: status.UNAVAILABLE });
    expect(answered).toBe(false);
    given({ deletionTimestamp: 'now' });
    await expect(deleted).rejects.toMatchObject({ code: status.UNAVAILABLE });
    given({});
    const waiting = again('patient', 600_000);
    for (let i = 0; i < 3; i++) await expect(publish('other', at.node.newTarget())).rejects.toMatchObject({ code: status.UNAVAILABLE });
    serve('patient');
    await waiting;
    expect(at.node.sh('cat "$1/f"', target)).toBe('hello\n');
  });

  test('where no mount is asked for, whatever is there is bound, and nothing is waited for', async () => {
    const target = at.node.newTarget();
    const skip = { 'fluid.io/skip-check-mount-ready-target': 'MountPod' };
    await expect(publish('plain', target, skip)).rejects.toMatchObject({ details: expect.stringContaining('does not exist') });
    at.node.sh('mkdir -p "$1" && echo plain >"$1/f"', at.node.fusePath('plain'));
    await publish('plain', target, skip);
    expect(at.node.sh('cat "$1/f"', target)).toBe('plain\n');
  });

  test('a link that a fuse pod puts in the place of its directory leads nowhere', async () => {
    const target = at.node.newTarget();
    const skip = { 'fluid.io/skip-check-mount-ready-target': 'All' };
    at.node.sh('mkdir -p "$(dirname "$1")" && ln -s /etc "$1"', at.node.fusePath('astray'));
    await expect(publish('astray', target, skip)).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('symbolic link'),
    });
    expect(at.node.stack(target)).toEqual([]);
  });

  test('a volume that was linked is bound once it is read-only, on its own path', async () => {
    serve('relinked');
    const target = at.node.newTarget();
    await publish('relinked', target, { node_publish_method: 'symlink' });
    await publish('relinked', target, { node_publish_method: 'symlink' }, ROX);
    expect([at.node.stack(at.node.fusePath('relinked')).length, at.node.stack(target).length]).toEqual([1, 1]);
    expect(() => at.node.sh('touch "$1/g"', target)).toThrow('Read-only file system');
  });

  test('a sub path that leads out of the mount is refused', async () => {
    serve('sub', 'mkdir -p a/b && echo deep >a/b/f && ln -s /etc out && ln -s a inside');
    const target = at.node.newTarget();
    await publish('sub', target, { fluid_sub_path: '/a/b/' });
    expect(at.node.sh('cat "$1/f"', target)).toBe('deep\n');
    for (const [path, code] of [
      ['../x', status.INVALID_ARGUMENT],
      ['out', status.INVALID_ARGUMENT],
      ['inside/b', status.INVALID_ARGUMENT],
      ['nowhere', status.NOT_FOUND],
    ] as const) {
      const refused = at.node.newTarget();
      await expect(publish('sub', refused, { fluid_sub_path: path })).rejects.toMatchObject({ code });
      expect(at.node.stack(refused)).toEqual([]);
    }
  });

  test('links where the volume says so', async () => {
    serve('link');
    const target = at.node.newTarget();
    for (let i = 0; i < 2; i++) await publish('link', target, { node_publish_method: 'symlink' });
    expect(at.node.sh('readlink "$1" && cat "$1/f"', target)).toBe(`${at.node.fusePath('link')}\nhello\n`);
    await unpublish('link', target);
    expect(at.node.sh('test ! -e "$1" && echo gone', target)).toBe('gone\n');
    expect(at.node.sh('cat "$1/f"', at.node.fusePath('link'))).toBe('hello\n');
  });

  test('a client that does not answer holds up nothing but its own volume', async () => {
    const fuse = at.node.fuse(at.node.fusePath('hung'));
    serve('other');
    const [hung, other] = [at.node.newTarget(), at.node.newTarget()];
    const asked = publish('hung', hung, { mount_type: 'fuse' });
    asked.catch(() => {});
    await publish('other', other);
    await unpublish('other', other);
    await expect(asked).rejects.toMatchObject({ code: status.UNAVAILABLE, details: expect.stringContaining('has not answered') });
    // Mounted before it hung.
    at.node.sh('mkdir -p "$2" && mount -c --bind "$1" "$2" && mount -c --bind "$1" "$2"', at.node.fusePath('hung'), hung);
    const stats = await at.plugin.call.nodeGetVolumeStats({ volumeId: 'ml-hung', volumePath: hung });
    expect(stats.volumeCondition).toMatchObject({ abnormal: true });
    await unpublish('hung', hung);
    expect(at.node.stack(hung)).toEqual([]);
    fuse.die();
  });

  test('unmounts what another mount hides', async () => {
    serve('hidden', 'mkdir sub a a/b');
    const target = at.node.newTarget();
    const script =
      'mkdir -p "$2" && mount --bind "$1" "$2" && mount -t tmpfs x "$2/sub" && mount -t tmpfs x "$2/a/b" && mount -t tmpfs x "$2/a" && mount --bind "$1" "$2"';
    at.node.sh(script, at.node.fusePath('hidden'), target);
    await unpublish('hidden', target);
    expect(at.node.mounts().filter(({ mountPoint }) => isWithin(mountPoint, target))).toEqual([]);
  });

  test('unmounts what is dead, stacked, in use or gone', async () => {
    const fuse = at.node.fuse(at.node.fusePath('dead'));
    const target = at.node.newTarget();
    at.node.sh('mkdir -p "$2" && for i in 1 2 3; do mount -c --bind "$1" "$2"; done', at.node.fusePath('dead'), target);
    fuse.die();
    await unpublish('dead', target);
    await unpublish('dead', target);
    expect(at.node.stack(target)).toEqual([]);
    serve('busy');
    const busy = at.node.newTarget();
    await publish('busy', busy);
    at.node.sh('cd "$1" && exec sleep 60 >/dev/null 2>&1 & echo $! >"$2/pid"', busy, at.node.dir);
    await unpublish('busy', busy);
    expect(at.node.stack(busy)).toEqual([]);
    at.node.sh('kill "$(cat "$1/pid")"', at.node.dir);
  });

  test('says how full a linked directory is that need not be a mount', async () => {
    const target = at.node.newTarget();
    at.node.sh('mkdir -p "$1"', at.node.fusePath('plainly'));
    await publish('plainly', target, { node_publish_method: 'symlink', 'fluid.io/skip-check-mount-ready-target': 'All' });
    const stats = () => at.plugin.call.nodeGetVolumeStats({ volumeId: 'ml-plainly', volumePath: target });
    await expect(stats()).resolves.toMatchObject({ usage: [{ unit: 1 }, { unit: 2 }], volumeCondition: { abnormal: false } });
    // Not ours.
    at.node.sh('rm "$1" && ln -s /etc "$1"', target);
    await expect(stats()).rejects.toMatchObject({ code: status.NOT_FOUND });
  });

  test('says how full a volume is', async () => {
    serve('full', 'head -c 1048576 /dev/zero >f');
    const target = at.node.newTarget();
    await publish('full', target);
    const { usage, volumeCondition } = await at.plugin.call.nodeGetVolumeStats({ volumeId: 'ml-full', volumePath: target });
    expect(usage.find(({ unit }) => unit === 1)?.used).toBe(1048576n);
    expect(volumeCondition).toMatchObject({ abnormal: false });
    await expect(at.plugin.call.nodeGetVolumeStats({ volumeId: 'x', volumePath: '/nowhere' })).rejects.toMatchObject({
      code: status.NOT_FOUND,
    });
  });

  test('does not take the socket of another plugin', async () => {
    const other = at.node.startPlugin({ endpoint: `${at.node.kubelet}/other.sock`, handOverMs: 0 });
    await expect(other).rejects.toThrow('another process serves it');
  });

  test('gives way to its successor: calls under way end, and new ones come through', async () => {
    const before = at.plugin;
    const ending = Promise.withResolvers<void>();
    const successor = at.node.startPlugin({ patienceMs: 300 }, ({ msg }) => {
      if (msg === 'another process serves this socket; waiting until it ends') ending.resolve();
    });
    await ending.promise;
    const asked = before.call.nodePublishVolume({
      volumeId: 'ml-over',
      targetPath: at.node.newTarget(),
      volumeCapability: RWX,
      volumeContext: attributes('over'),
    });
    asked.catch(() => {});
    // The answer comes after the other, and so does the signal.
    await before.call.probe({});
    process.kill(before.pid, 'SIGTERM');
    at.plugin = await successor;
    await expect(asked).rejects.toMatchObject({ details: expect.stringContaining('is not mounted yet') });
    await before.end();
    const target = at.node.newTarget();
    serve('over');
    await publish('over', target);
    expect(at.node.sh('cat "$1/f"', target)).toBe('hello\n');
  });

  test('the kubelet finds it', async () => {
    const socket = `${at.node.kubelet}/plugins_registry/fuse.csi.fluid.io-reg.sock`;
    const kubelet = registrationOf(socket, at.plugin.pid);
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
    expect(at.plugin.mounts().filter(({ mountPoint }) => /sluice-csi-\w+\/\d+$/.test(mountPoint))).toEqual([]);
  });

  test('stops without a trace, and mounts stay', async () => {
    serve('stay');
    const target = at.node.newTarget();
    await publish('stay', target);
    await at.plugin.end();
    expect(at.node.sh('cat "$1/f"', target)).toBe('hello\n');
    expect(existsSync(`/proc/${at.plugin.pid}`)).toBe(false);
    expect(at.node.sh('ls "$1/plugins_registry" "$1/csi-plugins/fuse.csi.fluid.io" | grep sock || echo none', at.node.kubelet)).toBe(
      'none\n',
    );
    at.plugin = await at.node.startPlugin();
    await unpublish('stay', target);
    expect(at.node.stack(target)).toEqual([]);
  });
});

const escaped = (text: string): string => text.replace(/[()]/g, '\\$&');
