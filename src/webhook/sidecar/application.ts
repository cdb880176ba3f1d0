import type { Container } from '../../api/index.ts';
import type { Admission } from '../admission.ts';
import { type Pod, withSpec } from '../pod.ts';
import { waitForAllCommand } from './scripts.ts';

/** A second each. */
const TRIES = 10;

/**
 * With the label `app.poststart.fluid.io/inject`: containers that read Datasets wait for the mounts in a hook of their own, unless they have
 * one already.
 * @param before the pod of the request, whose volumes are still claims
 */
export function withApplicationChecks(pod: Pod, before: Pod, { wishes, uses }: Admission): Pod {
  if (!wishes.checksApplication) return pod;
  const claims = new Set(uses.map(({ claim }) => claim));
  const volumes = new Set(
    (before.spec.volumes ?? [])
      .filter(({ persistentVolumeClaim }) => claims.has(persistentVolumeClaim?.claimName ?? ''))
      .map(({ name }) => name),
  );
  const hostPaths = new Map((pod.spec.volumes ?? []).map(({ name, hostPath }) => [name, hostPath?.path ?? '']));
  const own = new Set(before.spec.containers.map(({ name }) => name));
  const each = (container: Container): Container => {
    const mounted = (container.volumeMounts ?? [])
      .filter(({ name }) => volumes.has(name))
      .map(({ name, mountPath }) => ({ path: mountPath, subPath: '', bare: bareOf(hostPaths.get(name) ?? '') }));
    if (!own.has(container.name) || mounted.length === 0 || container.lifecycle?.postStart) return container;
    return { ...container, lifecycle: { ...container.lifecycle, postStart: { exec: { command: waitForAllCommand(mounted, TRIES) } } } };
  };
  return withSpec(pod, { containers: pod.spec.containers.map(each) });
}

/** The last two names of a path. No file system that a client mounts has a root that ends in them. */
const bareOf = (path: string): string => `/${path.split('/').slice(-2).join('/')}`;
