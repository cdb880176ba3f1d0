import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TestNode } from '../test/csi/real-mounts/mount-node.ts';
import type { TestPlugin } from '../test/csi/real-mounts/plugin.ts';
import { attributes, fusePath, volumeId } from './csi-volumes.ts';
import { range } from './lab.ts';

/** Calls of the kubelet to the plugin, for volumes by number. */
export type Calls = ReturnType<typeof callsOf>;

export function callsOf(node: TestNode, { pid, call }: TestPlugin) {
  const volume = (i: number) => ({ volumeId: volumeId(i), volumeContext: attributes(node.mountRoot, i) });
  const capability = (mode: number) => ({ accessType: { case: 'mount', value: {} }, accessMode: { mode } }) as const;
  const target = (i: number, pod: number) => `${node.kubelet}/pods/pod-${pod}/volumes/kubernetes.io~csi/${volumeId(i)}/mount`;
  const staging = (i: number) => `${node.kubelet}/plugins/kubernetes.io/csi/fuse.csi.fluid.io/v${i}/globalmount`;
  /** Where the kubelet keeps what it has staged. */
  const kept = (i: number) => `/proc/${pid}/root${dirname(staging(i))}`;
  return {
    /** File systems where fuse pods would mount them. */
    serve(from: number, to: number) {
      const places = range(to - from).map((i) => fusePath(node.mountRoot, from + i));
      node.sh('for d; do mkdir -p $d; mount -n -t tmpfs live $d; done', ...places);
    },
    unserve(from: number, to: number) {
      node.sh('for d; do umount -n "$d"; done', ...range(to - from).map((i) => fusePath(node.mountRoot, from + i)));
    },
    async stage(i: number) {
      mkdirSync(`${kept(i)}/globalmount`, { recursive: true });
      writeFileSync(`${kept(i)}/vol_data.json`, JSON.stringify({ driverName: 'fuse.csi.fluid.io', volumeHandle: volumeId(i) }));
      await call.nodeStageVolume({ ...volume(i), stagingTargetPath: staging(i), volumeCapability: capability(5) });
    },
    async unstage(i: number) {
      await call.nodeUnstageVolume({ volumeId: volumeId(i), stagingTargetPath: staging(i) });
      rmSync(kept(i), { recursive: true });
    },
    publish: (i: number, pod: number, mode: 3 | 5 = 5) =>
      call.nodePublishVolume({ ...volume(i), targetPath: target(i, pod), volumeCapability: capability(mode) }),
    unpublish: (i: number, pod: number) => call.nodeUnpublishVolume({ volumeId: volumeId(i), targetPath: target(i, pod) }),
  };
}
