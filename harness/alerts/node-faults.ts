import { setTimeout as pause } from 'node:timers/promises';
import { USERS } from './objects.ts';
import type { Stage } from './stage.ts';

const RWX = { accessType: { case: 'mount', value: {} }, accessMode: { mode: 5 } } as const;

/** Clients of the node plugin: one that hangs, one that does not come, and one that ends again and again. */
export async function breakNode({ node, plane }: Stage): Promise<() => Promise<void>> {
  if (!node) throw new Error('expected a machine that mounts file systems, as root on Linux');
  const { mounts, plugin } = node;
  const pathOf = (name: string) => `${mounts.mountRoot}/thin/${USERS}/${name}/thin-fuse`;
  const publish = (name: string, pod = name) => {
    const volume = `${mounts.kubelet}/pods/uid-${pod}/volumes/kubernetes.io~csi/${USERS}-${name}`;
    const data = JSON.stringify({ driverName: 'fuse.csi.fluid.io', volumeHandle: `${USERS}-${name}`, specVolID: `${USERS}-${name}` });
    mounts.sh('mkdir -p "$1" && echo "$2" >"$1/vol_data.json"', volume, data);
    return plugin()
      .call.nodePublishVolume(
        { volumeId: `${USERS}-${name}`, targetPath: `${volume}/mount`, volumeCapability: RWX, volumeContext: attributes(name) },
        { timeoutMs: 30_000 },
      )
      .catch(() => undefined);
  };
  const attributes = (name: string) => ({ fluid_path: pathOf(name), mount_type: '', runtime_namespace: USERS, runtime_name: name });
  const serve = (name: string) =>
    mounts.sh('umount -c -l "$1" 2>/dev/null || true; mkdir -p "$1" && mount -t tmpfs live "$1"', pathOf(name));
  await plane.kubectlApply(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `${USERS}-often` },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteMany'],
        persistentVolumeReclaimPolicy: 'Retain',
        csi: { driver: 'fuse.csi.fluid.io', volumeHandle: `${USERS}-often`, volumeAttributes: attributes('often') },
      },
    }),
  );
  const silent = await mounts.silentFuse(pathOf('silent'));
  serve('often');
  await publish('often');
  let goesOn = true;
  const repeat = async (once: () => Promise<unknown>, afterMs = 0) => {
    await pause(afterMs);
    while (goesOn) await once();
  };
  const loops = [
    repeat(async () => (await publish('silent'), await pause(1000))),
    // The plugin waits for 20 s before it answers: with several pods, an answer comes every few seconds.
    ...[0, 1, 2, 3, 4].map((i) => repeat(async () => (await publish('late', `late-${i}`), await pause(500)), 4000 * i)),
    // Scraped in between: a counter shows how much it has grown.
    repeat(async () => (serve('often'), await pause(3000))),
  ];
  return async () => {
    goesOn = false;
    await silent.die();
    await Promise.all(loops);
    mounts.sh('umount -c -l "$1"; rmdir "$1"', pathOf('silent'));
    await plane.kubectl('delete', 'pv', `${USERS}-often`, '--wait=false');
  };
}
