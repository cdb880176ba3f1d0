/** Clients that mount below their directory, and parts of volumes that the kubelet has bound for containers. */
import { afterEach, describe, expect, test } from 'vitest';
import { describePlugin } from './describe-plugin.ts';
import type { State } from './mount-node.ts';
import type { Report } from './plugin.ts';

describePlugin('a volume with mounts below', { patienceMs: 5_000 }, (at) => {
  afterEach(() => {
    // Nothing of ours stays on the way.
    expect(at.plugin.mounts().filter(({ mountPoint }) => /scratch-\w+\/\d+/.test(mountPoint))).toEqual([]);
  });

  const attributes = (name: string, more: Record<string, string> = {}) => ({
    fluid_path: at.node.fusePath(name),
    mount_type: 'tmpfs',
    runtime_namespace: 'ml',
    runtime_name: name,
    ...more,
  });
  const LINKED = { node_publish_method: 'symlink' };
  const UNCHECKED = { ...LINKED, 'fluid.io/skip-check-mount-ready-target': 'All' };
  const [ROX, RWX] = [3, 5];
  async function publish(name: string, uid: string, mode = ROX, more: Record<string, string> = LINKED) {
    const target = `${at.node.kubelet}/pods/${uid}/volumes/kubernetes.io~csi/ml-${name}/mount`;
    const data = JSON.stringify({ driverName: 'fuse.csi.fluid.io', volumeHandle: `ml-${name}` });
    at.node.sh('mkdir -p "$(dirname "$1")" && echo "$2" >"$(dirname "$1")/vol_data.json"', target, data);
    await at.plugin.call.nodePublishVolume({
      volumeId: `ml-${name}`,
      targetPath: target,
      volumeCapability: { accessType: { case: 'mount', value: {} }, accessMode: { mode } },
      volumeContext: attributes(name, more),
    });
    return target;
  }
  const serve = (path: string, text: string) =>
    at.node.sh('mkdir -p "$1" && mount -t tmpfs -o nosuid,nodev "client $2" "$1" && echo "$2" >"$1/f"', path, text);
  const recovered = (name: string, after: number) =>
    at.plugin.when((report) => isAbout(report, name) && at.plugin.reports.indexOf(report) >= after);
  const isAbout = (report: Report, name: string) => 'dataset' in report && report.dataset.name === name;
  const read = (path: string) => at.node.sh('cat "$1"', path);
  const expectReadOnly = (...paths: readonly string[]) => {
    for (const path of paths) expect(() => at.node.sh('touch "$1/g"', path)).toThrow('Read-only file system');
  };

  test('is read-only with all of them, where it was to be linked', async () => {
    serve(at.node.fusePath('deep'), 'top');
    serve(`${at.node.fusePath('deep')}/a b`, 'a');
    serve(`${at.node.fusePath('deep')}/a b/c`, 'c');
    const target = await publish('deep', 'uid-deep');
    expect([read(`${target}/f`), read(`${target}/a b/f`), read(`${target}/a b/c/f`)]).toEqual(['top\n', 'a\n', 'c\n']);
    expectReadOnly(target, `${target}/a b`, `${target}/a b/c`);
    const options = at.node.mounts().filter(({ mountPoint }) => mountPoint.startsWith(target));
    expect(options.map(({ line }) => line.split(' ')[5])).toEqual(Array(3).fill('ro,nosuid,nodev,relatime'));
    await publish('deep', 'uid-deep');
    expect(at.node.stack(target)).toHaveLength(1);
    await at.plugin.call.nodeUnpublishVolume({ volumeId: 'ml-deep', targetPath: target });
    expect(at.node.mounts().filter(({ mountPoint }) => mountPoint.startsWith(target))).toEqual([]);
    expect(read(`${at.node.fusePath('deep')}/a b/c/f`)).toBe('c\n');
  });

  test('keeps what a client may not do, also with none below', async () => {
    serve(at.node.fusePath('flat'), 'top');
    const target = await publish('flat', 'uid-flat');
    expect(at.node.stack(target)[0]?.line.split(' ')[5]).toBe('ro,nosuid,nodev,relatime');
  });

  test('shows all of them where it can be written, too', async () => {
    at.node.sh('mkdir -p "$1"', at.node.fusePath('rw'));
    serve(`${at.node.fusePath('rw')}/a`, 'a');
    const target = await publish('rw', 'uid-rw', RWX, {});
    at.node.sh('cat "$1/a/f" && touch "$1/a/g"', target);
  });

  test('is given each that comes later, and each that comes back, read-only, without ever more layers (R1, R9)', async () => {
    const path = at.node.fusePath('later');
    at.node.sh('mkdir -p "$1"', path);
    const state: State = {
      volumes: { 'ml-later': { attributes: attributes('later', UNCHECKED) } },
      pods: {
        ml: [
          {
            metadata: { name: 'app', uid: 'uid-later' },
            status: { containerStatuses: [{ name: 'app', state: { running: { startedAt: '2020-01-01T00:00:00Z' } } }] },
          },
        ],
      },
    };
    at.node.write(state);
    const target = await publish('later', 'uid-later', ROX, UNCHECKED);
    for (const name of ['a', 'b', 'c']) {
      const before = at.plugin.reports.length;
      serve(`${path}/${name}`, name);
      await recovered('later', before);
      expect(read(`${target}/${name}/f`)).toBe(`${name}\n`);
    }
    for (let i = 0; i < 6; i++) {
      const before = at.plugin.reports.length;
      at.node.sh('umount -l "$1"', `${path}/a`);
      serve(`${path}/a`, `again ${i}`);
      await expect.poll(() => read(`${target}/a/f`), { timeout: 100_000 }).toBe(`again ${i}\n`);
      await recovered('later', before);
    }
    expect([read(`${target}/b/f`), read(`${target}/c/f`)]).toEqual(['b\n', 'c\n']);
    expectReadOnly(target, ...['a', 'b', 'c'].map((name) => `${target}/${name}`));
    expect(at.node.stack(target).length).toBeLessThanOrEqual(4);
    await at.plugin.call.nodeUnpublishVolume({ volumeId: 'ml-later', targetPath: target });
    expect(at.node.mounts().filter(({ mountPoint }) => mountPoint.startsWith(target))).toEqual([]);
  });

  test('shows the client itself when that comes later', async () => {
    at.node.sh('mkdir -p "$1"', at.node.fusePath('itself'));
    const target = await publish('itself', 'uid-itself', ROX, UNCHECKED);
    const before = at.plugin.reports.length;
    serve(at.node.fusePath('itself'), 'there');
    await recovered('itself', before);
    expect(read(`${target}/f`)).toBe('there\n');
    expectReadOnly(target);
  });

  describe('of which a container has a part', () => {
    /** As the kubelet binds `subPath` for a container. */
    function part(uid: string, name: string, of: string) {
      const subPath = `${at.node.kubelet}/pods/${uid}/volume-subpaths/ml-${name}/app/0`;
      const script = 'if [ -d "$1" ]; then mkdir -p "$2"; else mkdir -p "$(dirname "$2")" && touch "$2"; fi; mount -c --bind "$1" "$2"';
      at.node.sh(script, of, subPath);
      return subPath;
    }
    const replace = (name: string, script: string) =>
      at.node.sh('umount -c -l "$1"; mount -t tmpfs live "$1" && cd "$1" && eval "$2"', at.node.fusePath(name), script);

    test('a file is bound again', async () => {
      serve(at.node.fusePath('file'), 'old');
      const target = await publish('file', 'uid-file', RWX, {});
      const subPath = part('uid-file', 'file', `${target}/f`);
      const before = at.plugin.reports.length;
      replace('file', 'echo new >f');
      await recovered('file', before);
      await expect.poll(() => read(subPath)).toBe('new\n');
    });

    test('a file that is a symbolic link now is not bound again', async () => {
      serve(at.node.fusePath('link'), 'old');
      const target = await publish('link', 'uid-link', RWX, {});
      const subPath = part('uid-link', 'link', `${target}/f`);
      replace('link', 'ln -s /etc/passwd f');
      await at.plugin.when((report) => isAbout(report, 'link') && 'note' in report && report.reason === 'FuseRecoverFailed');
      expect(at.node.stack(subPath)).toEqual([]);
    });

    test('a directory that counts as removed is bound again', async () => {
      serve(at.node.fusePath('removed'), 'old');
      at.node.sh('mkdir "$1/a"', at.node.fusePath('removed'));
      const target = await publish('removed', 'uid-removed', RWX, {});
      const subPath = part('uid-removed', 'removed', `${target}/a`);
      at.node.sh('rmdir "$1/a"', at.node.fusePath('removed'));
      expect(at.node.stack(subPath)[0]?.root).toBe('/a//deleted');
      replace('removed', 'mkdir a && echo new >a/f');
      await expect.poll(() => at.node.sh('cat "$1/f" 2>/dev/null || :', subPath), { timeout: 100_000 }).toBe('new\n');
    });

    test('one that does not exist any more is unmounted though a process is in it, and an event says that containers can be started again (R14)', async () => {
      serve(at.node.fusePath('gone'), 'old');
      at.node.sh('mkdir "$1/a"', at.node.fusePath('gone'));
      const target = await publish('gone', 'uid-gone', RWX, {});
      const subPath = part('uid-gone', 'gone', `${target}/a`);
      const before = at.plugin.reports.length;
      replace('gone', 'mkdir a');
      await recovered('gone', before);
      expect(at.node.stack(subPath)).toHaveLength(2);
      const pid = at.node.sh('cd "$1"; sleep 600 >/dev/null 2>&1 & echo $!', subPath).trim();
      replace('gone', ':');
      const report = await at.plugin.when((one) => isAbout(one, 'gone') && 'note' in one && one.reason === 'FuseRecoverFailed');
      expect(report).toMatchObject({ note: expect.stringContaining('containers can be started again') });
      expect(at.node.stack(subPath)).toEqual([]);
      at.node.sh('kill "$1"', pid);
    });
  });
});
