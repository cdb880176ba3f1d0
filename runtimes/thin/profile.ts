import type {
  ThinFuseSpec,
  ThinRuntimeProfile,
  ThinRuntimeProfileSpec as Profile,
  ThinRuntimeSpec,
  ThinWorkerSpec,
} from '../../src/api/index.ts';
import { type Facts, type Mounted, must, userVolumes } from '../../src/constructs/index.ts';

/** The profile as it was parsed when it was looked up. */
export const profileNamed = (name: string | undefined, { objects }: Facts): ThinRuntimeProfile | undefined =>
  objects[`ThinRuntimeProfile/${name}`] as ThinRuntimeProfile | undefined;

type Container = ThinFuseSpec & ThinWorkerSpec;

/** What profile and runtime say together: env and ports add up, maps merge by key, all else is the runtime's unless it is empty. */
export function merged(profile: Profile, runtime: ThinRuntimeSpec, component: 'fuse' | 'worker') {
  const theirs: Container = profile[component] ?? {};
  const own: Container = runtime[component] ?? {};
  const { image, ...rest }: Container = { ...theirs, ...withoutEmpty(own) };
  must(image, `spec.${component}.image`, `an image, here or in profile ${runtime.profileName}`, image);
  const pullSecrets = [own.imagePullSecrets, theirs.imagePullSecrets, runtime.imagePullSecrets, profile.imagePullSecrets];
  return {
    ...rest,
    image,
    imagePullSecrets: pullSecrets.find((list) => list?.length) ?? [],
    env: [...(theirs.env ?? []), ...(own.env ?? [])],
    ports: [...(theirs.ports ?? []), ...(own.ports ?? [])],
    nodeSelector: { ...theirs.nodeSelector, ...own.nodeSelector },
    options: { ...theirs.options, ...own.options },
    resources: {
      ...theirs.resources,
      ...own.resources,
      limits: { ...theirs.resources?.limits, ...own.resources?.limits },
      requests: { ...theirs.resources?.requests, ...own.resources?.requests },
    },
    podMetadata: {
      labels: { ...theirs.podMetadata?.labels, ...own.podMetadata?.labels },
      annotations: { ...theirs.podMetadata?.annotations, ...own.podMetadata?.annotations },
    },
  };
}

const withoutEmpty = (spec: Container): Container =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0)));

/** The container mounts the profile's volumes where the profile says, and those of both where the runtime says. */
export function volumesOf(profile: Profile, runtime: ThinRuntimeSpec, component: 'fuse' | 'worker', between: readonly Mounted[] = []) {
  const path = `spec.${component}.volumeMounts`;
  const both = [...(runtime.volumes ?? []), ...(profile.volumes ?? [])];
  const theirs = userVolumes(profile[component]?.volumeMounts, profile.volumes, `profile ${runtime.profileName}: ${path}`);
  return [...theirs, ...between, ...userVolumes(runtime[component]?.volumeMounts, both, path)];
}
