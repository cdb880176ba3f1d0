import { expect, test } from 'vitest';
import { leftBelow } from '../../../src/csi/recovery/deleted.ts';
import { table } from '../given.ts';

const PATH = '/runtime-mnt/vineyard/ml/demo/vineyard-fuse/rpc-conf';
const VOLUME = '/var/lib/kubelet/pods/old/volumes/kubernetes.io~configmap/conf';
const plain = { mountPoint: PATH, fsType: 'ext4', device: '8:1', root: '/var/lib/kubelet/pods/new/volumes/kubernetes.io~configmap/conf' };
const gone = { ...plain, root: `${VOLUME}//deleted` };

test.each([
  ['a mount of a volume that was deleted', table({ ...gone, id: 20 }), [20]],
  ['one where the kubelet has a file system of its own', table({ ...gone, id: 20, root: '/pods/old/volumes/a/b//deleted' }), [20]],
  ['the uppermost of several at one path', table({ ...gone, id: 20 }, { ...gone, id: 21, parent: 20 }), [21]],
  ['one on top of one that works', table({ ...plain, id: 20 }, { ...gone, id: 21, parent: 20 }), [21]],
  ['none below one that works', table({ ...gone, id: 20 }, { ...plain, id: 21, parent: 20 }), []],
  ['none elsewhere on the node', table({ ...gone, id: 20, mountPoint: '/var/lib/kubelet/pods/uid/volumes/conf' }), []],
  [
    'none below a FUSE mount, whose client may not answer',
    table({ id: 19, mountPoint: '/runtime-mnt/vineyard/ml/demo' }, { ...gone, id: 20, parent: 19 }),
    [],
  ],
  ['none of a directory that is only called so', table({ ...plain, id: 20, root: `${VOLUME}/deleted` }), []],
  ['no sub path, whose file is deleted when its ConfigMap changes', table({ ...gone, id: 20, root: `${VOLUME}/..1/file//deleted` }), []],
  ['no directory of the node that somebody else deleted', table({ ...gone, id: 20, root: '/data/conf//deleted' }), []],
])('is %s', (_, mounts, ids) => expect(leftBelow(mounts, '/runtime-mnt').deleted.map(({ id }) => id)).toEqual(ids));

test.each([
  ['the uppermost of a ConfigMap that is mounted on itself', table({ ...plain, id: 20 }, { ...plain, id: 21, parent: 20 }), [21]],
  ['none that is mounted once', table({ ...plain, id: 20 }), []],
  ['none on that of an earlier pod', table({ ...gone, id: 20 }, { ...plain, id: 21, parent: 20 }), []],
  [
    'none of a volume that may be empty while a pod uses it',
    table(
      { ...plain, root: '/pods/u/volumes/kubernetes.io~empty-dir/e', id: 20 },
      { ...plain, root: '/pods/u/volumes/kubernetes.io~empty-dir/e', id: 21, parent: 20 },
    ),
    [],
  ],
])('repeated is %s', (_, mounts, ids) => expect(leftBelow(mounts, '/runtime-mnt').repeated.map(({ id }) => id)).toEqual(ids));
