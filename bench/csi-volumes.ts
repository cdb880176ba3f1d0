import type { KubeObject } from '../src/kube/types.ts';
import { MERGE } from './client.ts';
import { atOnce, type Lab, phaseOf, range, say, until } from './lab.ts';
import { pair, paths } from './objects.ts';

const [NAMESPACE, NAME] = ['ml', 'data'];
const LABELS = 'fluid.io/f-ml-v';

export const volumeId = (i: number): string => `ml-v${i}`;
export const fusePath = (mountRoot: string, i: number): string => `${mountRoot}/thin/${NAMESPACE}/v${i}/thin-fuse`;

/** Attributes of the PersistentVolume, as the kubelet passes them. */
export const attributes = (mountRoot: string, i: number): Record<string, string> => ({
  fluid_path: fusePath(mountRoot, i),
  mount_type: 'tmpfs',
  runtime_namespace: NAMESPACE,
  runtime_name: NAME,
  mount_pod_node_selector_key: `${LABELS}${i}`,
});

/** Volumes as the controller would have made them, of one runtime whose clean policy has labels taken away when they are unstaged. */
export async function createVolumes({ user }: Lab, mountRoot: string, count: number): Promise<void> {
  say(`${count} volumes`);
  const { dataset, runtime } = pair('thin', NAMESPACE, NAME);
  await user.send('POST', paths.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await user.send('POST', paths.datasets(NAMESPACE), dataset);
  const status = { phase: 'Bound', conditions: [], runtimes: [{ namespace: NAMESPACE, name: NAME, type: 'thin' }] };
  await user.send('PATCH', `${paths.datasets(NAMESPACE)}/${NAME}/status`, { status }, MERGE);
  const spec = { ...(runtime['spec'] as object), fuse: { cleanPolicy: 'OnDemand' } };
  await user.send('POST', paths.runtimes('thin', NAMESPACE), { ...runtime, spec });
  await atOnce(16, range(count), (i) => user.send('POST', paths.volumes, volume(mountRoot, i)));
  // The controller manager's work on them is not measured.
  await until('all volumes are available', 60, async () => (await user.list(paths.volumes)).every((each) => phaseOf(each) === 'Available'));
}

/** How many labels for fuse pods the node has. */
export async function labelsLeft({ user }: Lab, node: string): Promise<number> {
  const { metadata } = await user.send('GET', `${paths.nodes}/${node}`);
  return Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith(LABELS)).length;
}

const volume = (mountRoot: string, i: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: volumeId(i) },
  spec: {
    accessModes: ['ReadWriteMany'],
    capacity: { storage: '100Pi' },
    storageClassName: 'fluid',
    persistentVolumeReclaimPolicy: 'Retain',
    csi: { driver: 'fuse.csi.fluid.io', volumeHandle: volumeId(i), volumeAttributes: attributes(mountRoot, i) },
  },
});
