import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMPTY, nextTable } from '../../../src/csi/mounts/table.ts';
import { isFuse, mountOf, mountsUnder, parseMountinfo, stackAt, topAt } from '../../../src/csi/mounts/mountinfo.ts';
import { line, table } from '../given.ts';

describe('the mount table', () => {
  test('is read as the kernel prints it', () => {
    expect(parseMountinfo('36 35 98:0 /mnt1 /mnt2 rw,noatime shared:1 master:2 - fuse.s3fs s3fs rw,user_id=0\n')).toEqual([
      {
        id: 36,
        parent: 35,
        device: '98:0',
        root: '/mnt1',
        mountPoint: '/mnt2',
        readOnly: false,
        shared: true,
        fsType: 'fuse.s3fs',
        source: 's3fs',
        line: '36 35 98:0 /mnt1 /mnt2 rw,noatime shared:1 master:2 - fuse.s3fs s3fs rw,user_id=0',
      },
    ]);
  });

  test('names with blanks, newlines and backslashes are what they are', () => {
    const [mount] = parseMountinfo('1 0 0:1 / /a\\040b\\012c\\134d ro - fuse x\\011y rw');
    expect(mount).toMatchObject({ mountPoint: '/a b\nc\\d', source: 'x\ty', readOnly: true, shared: false });
  });

  test('a line that cannot be read hides no other', () => {
    expect(parseMountinfo(`what\n${line({ id: 2 })}\n\n1 2 3`)).toHaveLength(1);
  });

  test('reading only what changed gives what reading all gives', () => {
    const text = fc
      .array(fc.tuple(fc.nat(5), fc.constantFrom('/a', '/a/b', '/ä', '')), { maxLength: 8 })
      .map((rows) => rows.map(([id, at]) => (at === '' ? 'unreadable\n' : `${line({ id, mountPoint: at })}\n`)).join(''));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (texts) => {
        let now = EMPTY;
        for (const each of texts) {
          now = nextTable(now, Buffer.from(each));
          expect(now.lines.flatMap(({ mount }) => mount ?? [])).toEqual(parseMountinfo(each));
        }
      }),
    );
  });
});

describe('a path', () => {
  const mounts = table(
    { id: 1, parent: 0, mountPoint: '/' },
    { id: 3, parent: 2, mountPoint: '/m', device: '0:3', fsType: 'ext4' },
    { id: 2, parent: 1, mountPoint: '/m', device: '0:2' },
    { id: 4, parent: 3, mountPoint: '/m/deep', fsType: 'fuse.x' },
  );

  test('shows what was mounted last, whatever the order of the lines', () => {
    expect(stackAt(mounts, '/m').map(({ id }) => id)).toEqual([2, 3]);
    expect(topAt(mounts, '/m')?.id).toBe(3);
    expect(topAt(mounts, '/n')).toBeUndefined();
  });

  test('lies on the deepest mount above it, not on one whose name it begins with', () => {
    expect(mountOf(mounts, '/m/deep/er')?.id).toBe(4);
    expect(mountOf(mounts, '/m/deeper')?.id).toBe(3);
    expect(mountOf(mounts, '/x')?.id).toBe(1);
  });

  test('is one of a program if a kernel module of its own serves it, as EFC has', () => {
    expect(['fuse', 'fuse.sshfs', 'alifuse.aliyun-alinas-efc', 'ext4'].map((fsType) => isFuse({ fsType }))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  test('is cleared from the top and from below', () => {
    expect(mountsUnder(mounts, '/m').map(({ id }) => id)).toEqual([4, 3, 2]);
    expect(mountsUnder(mounts, '/mm')).toEqual([]);
  });

  test('is cleared of what hides other mounts first, however deep those lie', () => {
    const hidden = table(
      { id: 1, parent: 0, mountPoint: '/' },
      { id: 2, parent: 1, mountPoint: '/m' },
      { id: 3, parent: 2, mountPoint: '/m/sub' },
      { id: 4, parent: 2, mountPoint: '/m' },
      { id: 5, parent: 3, mountPoint: '/m/sub/a/b' },
      { id: 6, parent: 3, mountPoint: '/m/sub/a' },
    );
    expect(mountsUnder(hidden, '/m').map(({ id }) => id)).toEqual([4, 6, 5, 3, 2]);
    // Hidden by what lies above the path: no order helps, and none is left out.
    expect(mountsUnder(hidden, '/m/sub').map(({ id }) => id)).toEqual([6, 5, 3]);
  });

  test('is cleared in an order that takes no longer for each of many', () => {
    const many = (count: number) =>
      table(
        { id: 1, parent: 0, mountPoint: '/' },
        ...Array.from({ length: count }, (_, i) => ({ id: i + 2, parent: 1, mountPoint: `/m/d${i}` })),
      );
    // How often a mount is looked at, not for how long.
    const looks = (count: number) => {
      let looked = 0;
      const counted = many(count).map((mount) => ({
        ...mount,
        get parent() {
          looked++;
          return mount.parent;
        },
      }));
      expect(mountsUnder(counted, '/m')).toHaveLength(count);
      return looked / count;
    };
    expect(looks(2_000)).toBeLessThanOrEqual(looks(20) + 1);
  });
});
