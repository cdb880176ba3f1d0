import { expect, test } from 'vitest';
import { podPathOf } from '../../src/csi/kubelet.ts';

test.each([
  ['/k/pods/u/volumes/kubernetes.io~csi/pv/mount', { podUid: 'u', volumeName: 'pv', isSubPath: false }],
  ['/k/pods/u/volume-subpaths/pv/app/0', { podUid: 'u', volumeName: 'pv', isSubPath: true }],
  ['/k/pods/u/volumes/kubernetes.io~nfs/pv/mount', undefined],
  ['/k/pods/u/volumes/kubernetes.io~csi/pv', undefined],
  ['/k2/pods/u/volumes/kubernetes.io~csi/pv/mount', undefined],
])("the kubelet's path %s is parsed", (path, expected) => {
  expect(podPathOf(path, '/k')).toEqual(expected);
});
