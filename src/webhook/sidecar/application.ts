import { posix } from 'node:path';
import type { Container } from '../../api/index.ts';
import type { Admission } from '../admission.ts';
import { type Pod, volumesOf, withSpec } from '../pod.ts';
import { isDirectory } from './directory.ts';
import { waitForAllCommand } from './scripts.ts';

/** A second each. */
const TRIES = 10;

/**
 * With the label `app.poststart.fluid.io/inject`: containers that read Datasets wait for the mounts in a hook of their own, unless they have
 * one already.
 * @param before the pod of the request, whose volumes are still claims
 */
export function withApplicationChecks(pod: Pod, before: Pod, { injection, uses }: Admission): Pod {
  if (!injection.checksApplication) return pod;
  const claims = new Set(uses.map(({ claim }) => claim));
  const volumes = volumesOf(before, claims);
  const hostPaths = new Map((pod.spec.volumes ?? []).flatMap(({ name, hostPath }) => (hostPath ? [[name, hostPath.path] as const] : [])));
  const own = new Set(before.spec.containers.map(({ name }) => name));
  const each = (container: Container): Container => {
    const mounted = (container.volumeMounts ?? [])
      .filter(({ name }) => volumes.has(name) && hostPaths.has(name))
      .map(({ name, mountPath }) => ({ path: canonical(mountPath), subPath: '', bare: bareOf(hostPaths.get(name) ?? '') }));
    if (!own.has(container.name) || mounted.length === 0 || container.lifecycle?.postStart) return container;
    return { ...container, lifecycle: { ...container.lifecycle, postStart: { exec: { command: waitForAllCommand(mounted, TRIES) } } } };
  };
  return withSpec(pod, { containers: pod.spec.containers.map(each) });
}

/** The pod's own directory, of the host path at which its client mounts. */
const bareOf = (path: string): string => `/${path.split('/').findLast(isDirectory) ?? ''}`;

/** As the kubelet mounts it: `data/` is `/data`. */
const canonical = (path: string): string => posix.resolve('/', path);
