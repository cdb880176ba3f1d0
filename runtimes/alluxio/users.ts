import type { VolumeMount } from '../../src/api/index.ts';
import { type ContainerProps, imageOf, must, type PlanInput } from '../../src/constructs/index.ts';
import type { Image } from './images.ts';
import type { AlluxioRuntimeSpec } from './spec.ts';

type Spec = AlluxioRuntimeSpec;

/**
 * Directories of nodes are root's when the kubelet creates them. This container gives them to the user of `spec.runAs`, before any program
 * of that user starts.
 */
export function ownerOf({ spec }: PlanInput<Spec>, name: string, engine: Image, mounts: readonly VolumeMount[], all = false) {
  const { runAs, initUsers } = spec;
  if (!runAs?.uid || mounts.length === 0) return undefined;
  const container: ContainerProps = {
    name,
    image: imageOf(initUsers, undefined, engine.image),
    imagePullPolicy: initUsers?.imagePullPolicy ?? engine.imagePullPolicy,
    command: ['chown', ...(all ? ['-R'] : []), `${runAs.uid}:${runAs.gid}`, ...mounts.map(({ mountPath }) => mountPath)],
    env: Object.entries(initUsers?.env ?? {}).map(([key, value]) => ({ name: key, value })),
    resources: initUsers?.resources,
    volumeMounts: mounts,
    securityContext: { runAsUser: 0, runAsGroup: 0 },
  };
  return [container];
}

/** Java cannot log in as a number that the image has no name for. */
export function loginName({ runAs }: Spec): string | undefined {
  const { user } = runAs ?? {};
  must(!user || /^\w[\w.@-]*$/.test(user), 'spec.runAs.user', 'letters, digits and ".", "@", "-", "_"', user);
  return user || undefined;
}
