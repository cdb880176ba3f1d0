import { type Mounted, mountedAt, type PlanInput, podBase, volumesOf, withMemory } from '../../src/constructs/index.ts';
import { endpointsMounted } from './endpoints.ts';
import { images } from './images.ts';
import { fuseOptions, masterOptions, workerOptions } from './options.ts';
import { containerPort } from './ports.ts';
import { socketMounted } from './session-manager.ts';
import type { Source } from './source.ts';
import type { EFCRuntimeSpec } from './spec.ts';
import type { Tier } from './tier.ts';

type Input = PlanInput<EFCRuntimeSpec>;
type Role = 'master' | 'worker' | 'fuse';

/** Where masters and clients mount, each in its own pod. Clients share the directory above with the node. */
export const MOUNT_AT = '/efc';
export const MOUNT_DIR = 'efc-fuse';
export const MOUNTS = { master: `${MOUNT_AT}/efc-master`, fuse: `${MOUNT_AT}/${MOUNT_DIR}` } as const;

/** EFC's data in memory, in the pod's own. */
const sharedMemory = (name: string): Mounted => mountedAt('/dev/shm', name, { emptyDir: { medium: 'Memory' } });

export const masterPod = (input: Input, source: Source) => ({
  ...podOf(input, 'master'),
  ...containing(
    input,
    'master',
    ['master', source.address, MOUNTS.master, masterOptions(input, source)],
    [endpointsMounted(input.name), sharedMemory('mem'), socketMounted(undefined)],
  ),
});

export const fusePod = (input: Input, source: Source) => ({
  ...podOf(input, 'fuse'),
  ...containing(
    input,
    'fuse',
    ['fuse', source.address, MOUNTS.fuse, fuseOptions(input, source)],
    [endpointsMounted(input.name), sharedMemory('efc-shm'), socketMounted(input.settings.mountRoot)],
  ),
});

export function workerPod(input: Input, tier: Tier, port: number) {
  const { container, volumes } = containing(input, 'worker', ['worker', workerOptions(input, tier, port)], [tier.mounted]);
  const resources = withMemory(input.spec.worker?.resources, tier.isMemory ? tier.quota : undefined, 'spec.worker.resources');
  return { ...podOf(input, 'worker'), volumes, container: { ...container, resources, ports: [containerPort(port)] } };
}

function podOf({ spec }: Input, role: Role) {
  const pod = podBase(spec, spec[role]);
  return { ...pod, dnsPolicy: pod.hostNetwork ? 'ClusterFirstWithHostNet' : 'ClusterFirst' };
}

function containing({ spec, settings }: Input, role: Role, args: readonly string[], mounted: readonly Mounted[]) {
  const { version, resources } = spec[role] ?? {};
  const { volumes, volumeMounts } = volumesOf(mounted);
  const image = images.of(role, settings, version);
  return { volumes, container: { ...image, name: `efc-${role}`, command: ['/entrypoint.sh'], args, resources, volumeMounts } };
}
