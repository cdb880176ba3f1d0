import { expect, test } from 'vitest';
import { deletedBelow } from '../../../src/csi/recovery/deleted.ts';
import { table } from '../given.ts';

const PATH = '/runtime-mnt/vineyard/ml/demo/vineyard-fuse/rpc-conf';
const plain = { mountPoint: PATH, fsType: 'ext4', device: '8:1', root: '/pods/new/conf' };
const gone = { ...plain, root: '/pods/old/conf//deleted' };

test.each([
  ['a mount of a deleted directory', table({ ...gone, id: 20 }), [PATH]],
  ['each of several at one path', table({ ...gone, id: 20 }, { ...gone, id: 21, parent: 20 }), [PATH, PATH]],
  ['only those on top of one that works', table({ ...plain, id: 20 }, { ...gone, id: 21, parent: 20 }), [PATH]],
  ['none below one that works', table({ ...gone, id: 20 }, { ...plain, id: 21, parent: 20 }), []],
  ['none elsewhere on the node', table({ ...gone, id: 20, mountPoint: '/var/lib/kubelet/pods/uid/volumes/conf' }), []],
  [
    'none below a FUSE mount, whose client may not answer',
    table({ id: 19, mountPoint: '/runtime-mnt/vineyard/ml/demo' }, { ...gone, id: 20, parent: 19 }),
    [],
  ],
  ['none of a directory that is only called so', table({ ...plain, id: 20, root: '/pods/deleted' }), []],
])('is %s', (_, mounts, paths) => expect(deletedBelow(mounts, '/runtime-mnt')).toEqual(paths));
