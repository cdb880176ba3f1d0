import type { Container, VolumeMount } from '../../api/index.ts';
import type { MutationPlugin } from '../admission.ts';
import { type Pod, volumesOf, withSpec } from '../pod.ts';
import { withoutArguments } from './arguments.ts';

/** Lets containers see a mount that was repaired, without a restart: mounts on the host propagate into them. */
export const mountPropagation: MutationPlugin = {
  name: 'MountPropagationInjector',
  configure: withoutArguments((pod, { uses }) => propagated(pod, volumesOf(pod, new Set(uses.map(({ claim }) => claim))))),
};

/** The pod, with mounts of these volumes that propagate from the host, in init containers too, unless the user chose something else. */
function propagated(pod: Pod, volumes: ReadonlySet<string>): Pod {
  const each = <C extends Container>(container: C): C =>
    container.volumeMounts?.some(({ name }) => volumes.has(name))
      ? {
          ...container,
          volumeMounts: container.volumeMounts.map((mount) =>
            volumes.has(mount.name) && mayPropagate(mount) ? { mountPropagation: 'HostToContainer', ...mount } : mount,
          ),
        }
      : container;
  const { containers, initContainers } = pod.spec;
  return volumes.size === 0
    ? pod
    : withSpec(pod, { containers: containers.map(each), ...(initContainers && { initContainers: initContainers.map(each) }) });
}

/** Kubernetes rejects propagation into a mount that is recursively read-only. */
const mayPropagate = ({ recursiveReadOnly = 'Disabled' }: VolumeMount): boolean => recursiveReadOnly === 'Disabled';
