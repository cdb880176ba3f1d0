import {
  shown,
  type ThinFuseSpec,
  type ThinRuntimeProfile,
  type ThinRuntimeProfileSpec as Profile,
  type ThinRuntimeSpec,
  type ThinWorkerSpec,
  type Volume,
  type VolumeMount,
} from '../../src/api/index.ts';
import {
  type Facts,
  ignored,
  type Mounted,
  must,
  overlaid,
  overlaidResources,
  portKey,
  portWarnings,
  separatorsIn,
  userVolumes,
  variableWarnings,
  type Warning,
} from '../../src/constructs/index.ts';

/** The profile as it was parsed when it was looked up. */
export const profileNamed = (name: string | undefined, { objects }: Facts): ThinRuntimeProfile | undefined =>
  objects[`ThinRuntimeProfile/${name}`] as ThinRuntimeProfile | undefined;

type Container = ThinFuseSpec & ThinWorkerSpec;

/**
 * Profile and runtime together: maps merge by key, lists by Kubernetes' own key, all other fields are the runtime's unless empty. As in Fluid, only
 * the runtime decides where fuse pods run: a profile's selector would take them off nodes where they run.
 */
export function merged(profile: Profile, runtime: ThinRuntimeSpec, component: 'fuse' | 'worker') {
  const theirs: Container = profile[component] ?? {};
  const own: Container = runtime[component] ?? {};
  const { image, ...rest }: Container = { ...theirs, ...withoutEmpty(own) };
  must(image, `spec.${component}.image`, `an image, here or in profile ${runtime.profileName}`, image);
  const pullSecrets = [
    overlaid(nameOf, theirs.imagePullSecrets, own.imagePullSecrets),
    overlaid(nameOf, profile.imagePullSecrets, runtime.imagePullSecrets),
  ];
  return {
    ...rest,
    image,
    imagePullSecrets: pullSecrets.find((list) => list.length > 0) ?? [],
    env: [...(theirs.env ?? []), ...(own.env ?? [])],
    ports: overlaid(portKey, theirs.ports, own.ports),
    nodeSelector:
      component === 'fuse' || Object.keys(own.nodeSelector ?? {}).length > 0 ? { ...own.nodeSelector } : { ...theirs.nodeSelector },
    options: { ...theirs.options, ...own.options },
    resources: overlaidResources(theirs.resources, own.resources),
    podMetadata: {
      labels: { ...theirs.podMetadata?.labels, ...own.podMetadata?.labels },
      annotations: { ...theirs.podMetadata?.annotations, ...own.podMetadata?.annotations },
    },
  };
}

const nameOf = ({ name }: { readonly name?: string }) => name;

const withoutEmpty = (spec: Container): Container =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0)));

/**
 * The container mounts the profile's volumes where the profile says, and those of both where the runtime says.
 * As in Fluid, what mounts a volume that is not there is left out.
 */
export function volumesOf(profile: Profile, runtime: ThinRuntimeSpec, component: 'fuse' | 'worker', between: readonly Mounted[] = []) {
  const path = `spec.${component}.volumeMounts`;
  const both = [...(runtime.volumes ?? []), ...(profile.volumes ?? [])];
  const [theirs, own] = [there(profile[component]?.volumeMounts, profile.volumes), there(runtime[component]?.volumeMounts, both)];
  return [...userVolumes(theirs, profile.volumes, path), ...between, ...userVolumes(own, both, path)];
}

const there = (mounts: readonly VolumeMount[] = [], volumes: readonly Volume[] = []): readonly VolumeMount[] => {
  const names = new Set(volumes.map(({ name }) => name));
  return mounts.filter(({ name }) => names.has(name));
};

/** Fields of profile and runtime without effect, as in Fluid. */
export function profileWarnings(profile: Profile, runtime: ThinRuntimeSpec): readonly Warning[] {
  const both = [...(runtime.volumes ?? []), ...(profile.volumes ?? [])];
  const missing = (mounts: readonly VolumeMount[] | undefined, volumes: readonly Volume[] | undefined, path: string) => {
    const found = new Set(there(mounts, volumes));
    return (mounts ?? []).flatMap((mount, i) =>
      found.has(mount) ? [] : [ignored(`${path}[${i}]`, `no volume is called ${shown(mount.name)}, so it is not mounted`)],
    );
  };
  const object = `ThinRuntimeProfile ${runtime.profileName}: `;
  const from = `${object}spec.fuse`;
  return [
    ...(Object.keys(profile.fuse?.nodeSelector ?? {}).length > 0
      ? [ignored(`${from}.nodeSelector`, 'write it into spec.fuse.nodeSelector of the ThinRuntime, which alone counts')]
      : []),
    ...missing(profile.fuse?.volumeMounts, profile.volumes, `${from}.volumeMounts`),
    ...missing(runtime.fuse?.volumeMounts, both, 'spec.fuse.volumeMounts'),
    ...separatorsIn(profile.fuse?.options, `${from}.options`),
    ...separatorsIn(runtime.fuse?.options, 'spec.fuse.options'),
    ...(['fuse', 'worker'] as const).flatMap((component) => [
      ...portWarnings(profile[component]?.ports, `${object}spec.${component}.ports`),
      ...portWarnings(runtime[component]?.ports, `spec.${component}.ports`),
      ...variableWarnings(profile[component]?.env, runtime[component]?.env, `spec.${component}.env`),
    ]),
  ];
}
