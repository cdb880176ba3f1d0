import type { Volume, VolumeMount } from '../../src/api/index.ts';
import { type ContainerProps, imageOf, type Mounted, must, type PlanInput, togetherEach } from '../../src/constructs/index.ts';
import type { Image } from './images.ts';
import type { AlluxioRuntimeSpec } from './spec.ts';

type Input = Pick<PlanInput<AlluxioRuntimeSpec>, 'name' | 'spec'>;
type RunAs = AlluxioRuntimeSpec['runAs'];

/** The user of `spec.runAs`, where it is not root. */
export interface Account {
  /** Data of the ConfigMap `<name>-users`. */
  readonly files: Readonly<Record<string, string>>;
  readonly mounted: readonly Mounted[];
}

/** The ConfigMap with the names of users and groups. */
export const usersName = ({ name }: { readonly name: string }): string => `${name}-users`;

/** Java logs in by name, and so does a client for its mount: each program has a list of users with the one that runs it. */
export function accountOf({ name, spec: { runAs } }: Input): Account | undefined {
  const files = userFiles(runAs);
  return files && { files, mounted: userMounts({ name: 'alluxio-users', configMap: { name: usersName({ name }) } }) };
}

/** A list of users and one of groups; undefined for root, whom every image knows. */
export function userFiles(runAs: RunAs | undefined): Account['files'] | undefined {
  if (!runAs?.uid) return undefined;
  const { uid, gid, user, group } = runAs;
  togetherEach(Object.entries({ user, group }), ([field, text]) =>
    must(/^[a-zA-Z_][\w.@-]*$/.test(text), `spec.runAs.${field}`, 'a name of letters, digits and ".", "@", "-", "_"', text),
  );
  return {
    passwd: `root:x:0:0:root:/root:/bin/bash\n${user}:x:${uid}:${gid}::/tmp:/bin/bash\n`,
    group: `root:x:0:\n${gid === 0 ? '' : `${group}:x:${gid}:\n`}`,
  };
}

/** Where a container has both files of a volume. */
export const userMounts = (volume: Volume): readonly Mounted[] =>
  ['passwd', 'group'].map((file) => ({ volume, mount: { name: volume.name, mountPath: `/etc/${file}`, subPath: file, readOnly: true } }));

/**
 * Directories of nodes are root's when the kubelet creates them. This container gives them to the user of `spec.runAs`, before any program
 * of that user starts.
 */
export function ownerOf({ spec }: Input, name: string, engine: Image, mounts: readonly VolumeMount[], all = false) {
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
