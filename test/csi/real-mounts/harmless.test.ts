/** A consumer's view of a volume: nothing that a program of the client's could use against the node, and all of it, however much. */
import { expect, test } from 'vitest';
import { describePlugin } from './describe-plugin.ts';

describePlugin('what is mounted for a pod', { patienceMs: 500 }, (at) => {
  const publish = (name: string, targetPath: string, readonly: boolean, more?: Readonly<Record<string, string>>) =>
    at.plugin.call.nodePublishVolume(
      {
        volumeId: `ml-${name}`,
        targetPath,
        readonly,
        volumeCapability: { accessType: { case: 'mount', value: {} }, accessMode: { mode: 5 } },
        volumeContext: { fluid_path: at.node.fusePath(name), mount_type: 'tmpfs', ...more },
      },
      { timeoutMs: 110_000 },
    );
  const below = (path: string) => at.node.mounts().filter(({ mountPoint }) => mountPoint === path || mountPoint.startsWith(`${path}/`));
  /** A client that serves root's programs and devices, at its own directory and at one below. */
  function serve(name: string, deep: boolean) {
    const path = at.node.fusePath(name);
    at.node.sh('mkdir -p "$1" && mount -t tmpfs client "$1" && mkdir "$1/deep"', path);
    if (deep) at.node.sh('mount -t tmpfs client "$1/deep"', path);
    at.node.sh('for d in "$1" "$1/deep"; do cp /usr/bin/id "$d/id" && chmod 4755 "$d/id" && mknod "$d/zero" c 1 5; done', path);
    return path;
  }

  test.each([
    ['', false, false],
    ['read-only', true, false],
    ['with a mount below', false, true],
    ['read-only, with a mount below', true, true],
    ['of a sub path', false, false, { fluid_sub_path: 'deep' }],
    ['that asks for a link, and is read-only', true, false, { node_publish_method: 'symlink' }],
  ])('has no setuid program and no device %s', async (_, readOnly, deep, more?: Readonly<Record<string, string>>) => {
    const name = `suid-${Math.random().toString(36).slice(2)}`;
    const path = serve(name, deep);
    // Where neither is kept from it, both work: so what follows fails for no other reason.
    const asNobody = (directory: string) => at.node.sh('setpriv --reuid=65534 --regid=65534 --clear-groups "$1/id" -u', directory).trim();
    const reads = (directory: string) => at.node.sh('head -c 1 "$1/zero" >/dev/null 2>&1 && echo yes || echo no', directory).trim();
    expect([asNobody(path), reads(path)]).toEqual(['0', 'yes']);
    const target = at.node.newTarget();
    await publish(name, target, readOnly, more);
    for (const directory of [target, ...(deep ? [`${target}/deep`] : [])])
      expect([asNobody(directory), reads(directory)]).toEqual(['65534', 'no']);
    // The host's mounts have the options that its pods see.
    for (const { line } of below(target)) expect(line.split(' ')[5]).toMatch(readOnly ? /^ro,nosuid,nodev/ : /^rw,nosuid,nodev/);
  });

  test('keeps what its own mount does not allow', async () => {
    const path = at.node.fusePath('strict');
    at.node.sh('mkdir -p "$1" && mount -t tmpfs -o ro,noexec client "$1"', path);
    const target = at.node.newTarget();
    await publish('strict', target, false);
    expect(below(target)[0]?.line.split(' ')[5]).toBe('ro,nosuid,nodev,noexec,relatime');
  });

  test('may be hundreds of mounts: read-only all of them, and unmounted in one call', async () => {
    const COUNT = 400;
    const path = at.node.fusePath('many');
    const all =
      'mkdir -p "$1" && mount -t tmpfs top "$1" && i=0; while [ $i -lt "$2" ]; do mkdir "$1/d$i" && mount -t tmpfs -o size=4k "m$i" "$1/d$i"; i=$((i+1)); done';
    at.node.sh(all, path, String(COUNT));
    const target = at.node.newTarget();
    await publish('many', target, true);
    expect(below(target)).toHaveLength(COUNT + 1);
    expect(below(target).every(({ readOnly }) => readOnly)).toBe(true);
    await at.plugin.call.nodeUnpublishVolume({ volumeId: 'ml-many', targetPath: target }, { timeoutMs: 110_000 });
    expect(below(target)).toEqual([]);
    at.node.sh('umount -R "$1"', path);
  });
});
