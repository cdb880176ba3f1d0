import { join } from 'node:path/posix';
import type { Container } from '../../api/index.ts';

/**
 * The command that unmounts the file system of a client: the container's own preStop, as it is. It is in the pod's own spec and runs in
 * the pod's own container, where the kubelet would run it as well, so that nothing is gained by writing another one there.
 */
export function unmountOf(container: Container): readonly string[] | undefined {
  const preStop = container.lifecycle?.preStop?.exec?.command;
  if (preStop && preStop.length > 0) return preStop;
  const path = mountPathOf(container);
  return path === undefined ? undefined : ['umount', path];
}

/** The mount path of clients without a preStop, which Fluid injected. */
function mountPathOf({ env = [], volumeMounts = [] }: Container): string | undefined {
  const given = env.find(({ name }) => name === 'FLUID_FUSE_MOUNTPOINT')?.value;
  if (given?.startsWith('/')) return given;
  const mount = volumeMounts.find(({ mountPropagation }) => mountPropagation === 'Bidirectional');
  if (!mount) return undefined;
  // `juicefs-fuse-mount-0` holds `juicefs-fuse`.
  const words = mount.name.split('-');
  const [type = '', fuse] = words.slice(Math.max(0, words.indexOf('mount') - 2));
  return join(mount.mountPath, fuse === 'fuse' ? `${type}-fuse` : '');
}
