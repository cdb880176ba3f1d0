import { environment, type Mounted } from '../../src/constructs/index.ts';
import { addressList } from './addresses.ts';
import { isScraped } from './fuse.ts';
import { type Input, MOUNT_AT, MOUNT_DIR, type Parts, podOf, runAsUser, volumesOf } from './pod.ts';
import { containerPort } from './ports.ts';

const DEVICE: Mounted = {
  volume: { name: 'jindofs-fuse-device', hostPath: { path: '/dev/fuse', type: 'CharDevice' } },
  mount: { name: 'jindofs-fuse-device', mountPath: '/dev/fuse' },
};

export function fusePod(input: Input, parts: Parts) {
  const { spec, namespace } = input;
  const { engine, masters, ports, tier, images, config, access, native, isFuseOnly, args, metricsPort } = parts;
  const { nodeSelector: _, ...pod } = podOf(input, 'fuse');
  const { volumes, volumeMounts } = volumesOf(engine, 'fuse', config, [DEVICE], tier.fuse, access, native);
  return {
    ...pod,
    podAnnotations: { ...pod.podAnnotations, ...(isScraped(input) && { 'prometheus.fuse.fluid.io/scrape': 'true' }) },
    volumes,
    sidecar: { caches: tier.fuse.map(({ volume }) => volume.name) },
    container: {
      image: images.fuse.image,
      imagePullPolicy: images.fuse.imagePullPolicy,
      args,
      env: [
        ...(masters.length > 0 ? [{ name: 'CLIENT_NAMESPACE_RPC_ADDRESS', value: addressList(masters, namespace, ports.master) }] : []),
        ...runAsUser(spec),
        { name: 'FLUID_FUSE_MOUNTPOINT', value: `${MOUNT_AT}/${MOUNT_DIR}` },
        { name: 'FLUID_FUSE_MODE', value: isFuseOnly ? 'fuseOnly' : '' },
        ...environment(spec.fuse?.env),
      ],
      ports: metricsPort === undefined ? [] : [containerPort('metrics', metricsPort)],
      resources: spec.fuse?.resources,
      volumeMounts,
    },
  };
}
