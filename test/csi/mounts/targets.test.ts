import { existsSync, lstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createTargets } from '../../../src/csi/mounts/targets.ts';
import { table } from '../given.ts';

describe('targets in the directory of the kubelet', () => {
  const kubelet = mkdtempSync(join(tmpdir(), 'sluice-targets-'));
  afterAll(() => rmSync(kubelet, { recursive: true }));
  let mounts = table({ id: 1, parent: 0, mountPoint: '/' });
  const targets = createTargets(kubelet, () => mounts);
  const at = (uid: string) => `${kubelet}/pods/${uid}/volumes/kubernetes.io~csi/pv/mount`;

  test('are made with their parents, found, linked, and removed with what they are', () => {
    expect(targets.look(at('a'))).toEqual({ is: 'absent' });
    for (let i = 0; i < 2; i++) targets.make(at('a'));
    expect(targets.look(at('a'))).toEqual({ is: 'directory' });
    targets.link('/runtime-mnt/x', at('a'));
    expect(targets.look(at('a'))).toEqual({ is: 'link', to: '/runtime-mnt/x' });
    targets.link('/runtime-mnt/y', at('b'));
    expect(readlinkSync(at('b'))).toBe('/runtime-mnt/y');
    for (const uid of ['a', 'b', 'c']) targets.remove(at(uid));
    expect(existsSync(at('a')) || existsSync(at('b'))).toBe(false);
  });

  test("lose no file of a user's", () => {
    targets.make(at('full'));
    writeFileSync(join(at('full'), 'file'), '');
    expect(() => targets.remove(at('full'))).toThrow('ENOTEMPTY');
    expect(() => targets.remove(join(at('full'), 'file'))).toThrow('ENOTDIR');
  });

  test('never lead to what a link among them shows', () => {
    symlinkSync('/nonexistent/never', join(kubelet, 'link'));
    targets.make(join(kubelet, 'link'));
    expect(lstatSync(join(kubelet, 'link')).isSymbolicLink()).toBe(true);
  });

  test('on a volume of a pod, or elsewhere, are refused whatever the type of the file system', () => {
    mkdirSync(at('a'), { recursive: true });
    mounts = table(
      { id: 1, parent: 0, mountPoint: '/' },
      { id: 2, parent: 1, mountPoint: kubelet, fsType: 'xfs' },
      { id: 3, parent: 2, mountPoint: `${kubelet}/pods`, fsType: 'ext4' },
    );
    expect(targets.look(at('a'))).toEqual({ is: 'directory' });
    mounts = [...mounts, ...table({ id: 4, parent: 3, mountPoint: `${kubelet}/pods/a`, fsType: 'nfs4' })];
    for (const use of [targets.look, targets.make, targets.remove]) expect(() => use(at('a'))).toThrow('where a volume is mounted');
    expect(() => targets.look('/etc/passwd')).toThrow(`expected a path within ${kubelet}`);
  });
});
