import { describe, expect, test } from 'vitest';
import { NODE_DAEMONS } from '../../../src/api/node-daemons.ts';
import { planPublish } from '../../../src/csi/publish/plan.ts';
import { checkCapability, isReadOnly, parseVolume } from '../../../src/csi/volume.ts';
import { FUSE_PATH, table, volume } from '../given.ts';

const TARGET = '/var/lib/kubelet/pods/u/volumes/kubernetes.io~csi/ml-demo/mount';
const ROOT = { id: 1, parent: 0, mountPoint: '/', device: '8:1', fsType: 'ext4' } as const;
const FUSE = { id: 20, mountPoint: FUSE_PATH, device: '0:20' } as const;
const request = (more = {}, readOnly = false) => ({ volume: volume(more), target: TARGET, readOnly });

describe('publishing', () => {
  test.each([
    ['waits while nothing is mounted', table(ROOT), request(), { do: 'wait', because: `${FUSE_PATH} is not mounted yet` }],
    [
      'waits while it is another file system',
      table(ROOT, { ...FUSE, fsType: 'tmpfs' }),
      request({ mountType: 'fuse.s3fs' }),
      { do: 'wait', because: `${FUSE_PATH} is mounted as tmpfs (src), not as fuse.s3fs` },
    ],
    ['binds the mount', table(ROOT, FUSE), request(), { do: 'bind', binding: { mount: 20, source: FUSE_PATH, apart: false } }],
    ['goes apart to be read-only', table(ROOT, FUSE), request({}, true), { do: 'bind', binding: { readOnly: true, apart: true } }],
    ['goes apart from a shared mount', table(ROOT, { ...FUSE, shared: true }), request(), { do: 'bind', binding: { apart: true } }],
    [
      'takes a client that mounts below',
      table(ROOT, { ...FUSE, mountPoint: `${FUSE_PATH}/rpc-conf`, fsType: 'ext4' }),
      request({ mountType: 'thin-fuse' }),
      { do: 'bind', binding: { source: FUSE_PATH } },
    ],
    [
      'does not take one beside',
      table(ROOT, { ...FUSE, mountPoint: `${FUSE_PATH}2` }),
      request(),
      { do: 'wait', because: `${FUSE_PATH} is not mounted yet` },
    ],
    ['has nothing to do twice', table(ROOT, FUSE, { id: 30, mountPoint: TARGET, device: '0:20' }), request(), { do: 'nothing' }],
    [
      'binds over a client that has ended',
      table(ROOT, FUSE, { id: 30, mountPoint: TARGET, device: '0:19' }),
      request(),
      { do: 'bind', binding: { mount: 20 } },
    ],
    [
      'binds over another part of the same file system',
      table(ROOT, FUSE, { id: 30, mountPoint: TARGET, device: '0:20' }),
      request({ source: `${FUSE_PATH}/a` }),
      { do: 'bind', binding: { source: `${FUSE_PATH}/a` } },
    ],
    ['links', table(ROOT, FUSE), request({ method: 'symlink' }), { do: 'link' }],
    ['binds rather than links what is read-only', table(ROOT, FUSE), request({ method: 'symlink' }, true), { do: 'bind' }],
    ['binds rather than links a sub path', table(ROOT, FUSE), request({ method: 'symlink', source: `${FUSE_PATH}/a` }), { do: 'bind' }],
    ['binds a directory where no mount is asked for', table(ROOT), request({ mountType: undefined }), { do: 'bind' }],
  ])('%s', (_, mounts, asked, expected) => {
    expect(planPublish(asked, mounts, { is: 'absent' })).toMatchObject(expected);
  });

  test('a link that is there already is left', () => {
    const linked = { is: 'link', to: FUSE_PATH } as const;
    expect(planPublish(request({ method: 'symlink' }), table(ROOT, FUSE), linked)).toEqual({ do: 'nothing' });
    expect(planPublish(request({ method: 'symlink' }), table(ROOT, FUSE), { ...linked, to: '/x' })).toMatchObject({ do: 'link' });
  });
});

describe('volume attributes', () => {
  const defaults = { mountRoot: '/runtime-mnt', method: 'bind' } as const;
  const given = (more: Record<string, string>) => parseVolume({ fluid_path: FUSE_PATH, ...more }, defaults);

  test('default as in Fluid', () => {
    expect(given({})).toEqual({ fusePath: FUSE_PATH, source: FUSE_PATH, mountType: 'fuse.alluxio-fuse', method: 'bind' });
  });

  test('of a volume in the spec of a pod, whose author would choose them, are refused', () => {
    expect(() => given({ 'csi.storage.k8s.io/ephemeral': 'true' })).toThrow('expected that of a PersistentVolumeClaim');
    expect(given({ 'csi.storage.k8s.io/ephemeral': 'false' })).toEqual(given({}));
  });

  test('all of them', () => {
    expect(
      given({
        fluid_sub_path: '//a/./b/',
        mount_type: 'JuiceFS',
        runtime_namespace: 'ml',
        runtime_name: 'demo',
        mount_pod_node_selector_key: 'fluid.io/f-ml-demo',
        node_publish_method: 'symlink',
        efc_sessmgr_workdir: '/runtime-mnt/efc-sock',
        'fluid.io/skip-check-mount-ready-target': 'Sidecar',
      }),
    ).toEqual({
      fusePath: FUSE_PATH,
      source: `${FUSE_PATH}/a/b`,
      mountType: 'JuiceFS',
      method: 'symlink',
      runtime: { namespace: 'ml', name: 'demo' },
      nodeLabel: 'fluid.io/f-ml-demo',
      daemon: { ...NODE_DAEMONS.efc, directory: '/runtime-mnt/efc-sock' },
    });
  });

  test.each(['None', 'Sidecar', 'Sidecar,None,All', ''])('with "%s", one is', (target) => {
    expect(given({ 'fluid.io/skip-check-mount-ready-target': target })).toHaveProperty('mountType');
  });

  test.each(['MountPod', 'All', 'Sidecar,MountPod'])('with %s, no mount is asked for', (target) => {
    expect(given({ 'fluid.io/skip-check-mount-ready-target': target })).not.toHaveProperty('mountType');
  });

  test.each([
    [{ fluid_path: '' }, 'fluid_path'],
    [{ fluid_path: '/etc' }, 'fluid_path'],
    [{ fluid_path: '/runtime-mnt' }, 'fluid_path'],
    [{ fluid_path: '/runtime-mnt-2/x' }, 'fluid_path'],
    [{ fluid_path: '/runtime-mnt/thin' }, 'fluid_path'],
    [{ fluid_path: '/runtime-mnt/thin/ml', 'fluid.io/skip-check-mount-ready-target': 'All' }, 'fluid_path'],
    [{ fluid_path: '/runtime-mnt/a/../../etc' }, 'fluid_path'],
    [{ fluid_path: '/runtime-mnt/a/' }, 'fluid_path'],
    [{ fluid_sub_path: 'a/../b' }, 'fluid_sub_path'],
    [{ fluid_sub_path: 'a\0b' }, 'fluid_sub_path'],
    [{ mount_pod_node_selector_key: 'node-role.kubernetes.io/control-plane' }, 'mount_pod_node_selector_key'],
    [{ mount_pod_node_selector_key: 'fluid.io/s-ml-demo' }, 'mount_pod_node_selector_key'],
    [{ efc_sessmgr_workdir: '/run' }, 'efc_sessmgr_workdir'],
    [{ 'fluid.io/skip-check-mount-ready-target': 'some' }, 'skip-check-mount-ready-target'],
  ])('%j is refused', (more: Record<string, string>, name) => {
    expect(() => given(more)).toThrow(name);
  });
});

test.each([
  [5, false, [], false],
  [3, false, [], true],
  [2, false, [], true],
  [5, true, [], true],
  [5, false, ['ro'], true],
])('access mode %i, read-only %s, options %j: read-only %s', (mode, requested, mountFlags, expected) => {
  expect(isReadOnly({ accessType: { case: 'mount', value: { mountFlags } }, accessMode: { mode } }, requested)).toBe(expected);
});

test('a block device is refused', () => {
  expect(() => checkCapability({ accessType: { case: 'block' } })).toThrow('block device');
  expect(() => checkCapability(undefined)).toThrow('volume_capability');
});
