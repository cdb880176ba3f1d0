import type { Container, VolumeMount } from '../../api/index.ts';
import { Denied } from '../denied.ts';
import { type Pod, withSpec } from '../pod.ts';

/**
 * The volumes of a claim as this directory of the host, from which a mount propagates into every container that reads there.
 * @param below a directory of what is mounted there; empty: all of it. The kubelet follows no symbolic link out of the volume to a sub path.
 *   In the path of the volume it would, and whoever writes to the file system decides where a link leads
 * @throws Denied if a container reads in a way that no such mount allows
 */
export function readFrom(pod: Pod, volumes: ReadonlySet<string>, path: string, below: string): Pod {
  const { volumes: all = [], containers, initContainers } = pod.spec;
  const readOnly = new Set(
    all.filter(({ name, persistentVolumeClaim }) => volumes.has(name) && persistentVolumeClaim?.readOnly).map(({ name }) => name),
  );
  const each = (container: Container): Container => {
    const device = container.volumeDevices?.find(({ name }) => volumes.has(name));
    if (device) throw new Denied(`container ${container.name}: volumeDevices: expected no Dataset, found volume ${device.name}`);
    // Others stay the same objects: a pod has as many clients as Datasets, and each looks at all containers.
    return container.volumeMounts?.some(({ name }) => volumes.has(name))
      ? {
          ...container,
          volumeMounts: container.volumeMounts.map((mount) =>
            volumes.has(mount.name) ? inDirectory(propagating(container.name, mount, readOnly.has(mount.name)), below) : mount,
          ),
        }
      : container;
  };
  return withSpec(pod, {
    volumes: all.map((volume) => (volumes.has(volume.name) ? { name: volume.name, hostPath: { path } } : volume)),
    containers: containers.map(each),
    ...(initContainers && { initContainers: initContainers.map(each) }),
  });
}

/** Kubernetes allows no propagation into a mount that is recursively read-only. */
function propagating(container: string, { recursiveReadOnly, ...mount }: VolumeMount, isReadOnly: boolean): VolumeMount {
  if (recursiveReadOnly === 'Enabled')
    throw new Denied(
      `container ${container}: volumeMounts[${mount.name}].recursiveReadOnly: expected IfPossible or Disabled, since the client mounts ` +
        'below the volume, found Enabled',
    );
  return { ...mount, mountPropagation: 'HostToContainer', ...(isReadOnly && { readOnly: true }) };
}

function inDirectory(mount: VolumeMount, below: string): VolumeMount {
  if (below === '') return mount;
  const { subPath, subPathExpr } = mount;
  if (!subPathExpr) return { ...mount, subPath: subPath ? `${below}/${subPath}` : below };
  // As Kubernetes writes a dollar that begins no variable.
  return { ...mount, subPathExpr: `${below.replaceAll('$', '$$$$')}/${subPathExpr}` };
}
