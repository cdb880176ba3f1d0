import type { Container, EnvVar, PodSpec, ResourceRequirements, VolumeMount } from '../../src/api/index.ts';
import { bytesQuantity, InvalidSpec, quantity, shown } from '../../src/api/index.ts';
import {
  type ComponentProps,
  type ContainerProps,
  type Mounted,
  mountedAt,
  optionSecrets,
  overlaidResources,
  type PlanInput,
  userVolumes,
} from '../../src/constructs/index.ts';
import { type ExtraResources, extraMounts, withExtraNames } from './extra-resources.ts';
import { CONFIG_DIRECTORY, CONFIG_PATH } from './runtime-config.ts';
import type { CacheRuntimeSpec } from './spec.ts';
import { configName } from './status.ts';
import type { Tiers } from './tiers.ts';
import type { PlannedComponent } from './topology.ts';
import { classVolumes, secretVolume } from './volume-names.ts';

type Input = PlanInput<CacheRuntimeSpec>;

interface Around {
  readonly extra: ExtraResources;
  readonly tiers: Tiers;
  /** Where the file system appears. */
  readonly mountPath: string;
  /** Name of the class, for errors. */
  readonly className: string;
}

/**
 * The pods of a component: the class's template, and what the runtime says of its first container. Containers are passed whole, since
 * what a class refers to as `$(NAME)` must come before it.
 * @throws InvalidSpec when the runtime mounts a volume that neither it nor the class has, or the class has a volume of a name of ours
 */
export function podOf(input: Input, part: PlannedComponent, { extra, tiers, mountPath, className }: Around): ComponentProps {
  const { spec, dataset } = input;
  const { component, base, own } = part;
  // The cast: `partsOf` found a container.
  const template = withExtraNames(base.template?.spec as PodSpec, extra);
  const { containers, initContainers = [], volumes = [], ...rest } = template;
  const variables = environmentOf(input, part, mountPath);
  const { given, secrets } = filesOf(input, part, extra, className);
  const users = usersVolumes(input, part, template);
  const [first, ...others] = containers as [Container, ...Container[]];
  const all = [...tiers.mounted, ...given, ...users, ...secrets];
  const kept = classVolumes(
    volumes,
    { own: [...tiers.mounted, ...given, ...secrets], users },
    { component, object: `CacheRuntimeClass ${className}` },
  );
  return {
    template: { ...base.template, spec: { ...rest, containers: [], volumes: kept } },
    podLabels: { ...spec.podMetadata?.labels, ...own.podMetadata?.labels },
    podAnnotations: { ...spec.podMetadata?.annotations, ...own.podMetadata?.annotations },
    imagePullSecrets: spec.imagePullSecrets,
    nodeSelector: own.nodeSelector,
    ...(component !== 'client' && { tolerations: [...(dataset.spec.tolerations ?? []), ...(own.tolerations ?? [])] }),
    ...(part.service && { serviceName: part.service }),
    volumes: all.map(({ volume }) => volume),
    initContainers: initContainers.map((each, i) =>
      settled(i === 0 ? { ...each, env: [...variables, ...(each.env ?? [])], volumeMounts: joined(each.volumeMounts, given) } : each),
    ),
    containers: [
      settled({
        ...first,
        ...imageOf(own.runtimeVersion),
        ...(own.args && { args: own.args }),
        ...(component === 'client' && unmounting(first, mountPath)),
        env: [...variables, ...(first.env ?? []), ...(own.env ?? [])],
        resources: withCache(overlaidResources(first.resources, own.resources), tiers.memoryBytes),
        volumeMounts: joined(joined(first.volumeMounts, [...tiers.mounted, ...given]), [...users, ...secrets]),
      }),
      ...others.map(settled),
    ],
  };
}

/** The files of a pod: runtime.json, ConfigMaps of the class, and the Secrets of the Dataset. A Job has those of workers. */
export function filesOf({ name, dataset }: Input, part: PlannedComponent | undefined, extra: ExtraResources, className: string) {
  const { component = 'worker', base = {} } = part ?? {};
  const given = [CONFIG(name), ...extraMounts(base, extra, { component, object: `CacheRuntimeClass ${className}` })];
  const isMounted = base.dependencies?.secretMount?.enabled ?? component !== 'client';
  return { given, secrets: isMounted ? optionSecrets(dataset.spec).map(secretVolume) : [] };
}

/** Few clients unmount when they are told to end, and a mount without a client stays on the node. */
const unmounting = ({ lifecycle }: Container, mountPath: string) =>
  lifecycle?.preStop ? {} : { lifecycle: { ...lifecycle, preStop: { exec: { command: ['umount', mountPath] } } } };

const CONFIG = (runtime: string): Mounted =>
  mountedAt(CONFIG_DIRECTORY, 'fluid-runtime-config', { configMap: { name: configName(runtime) } }, { readOnly: true });

/** The variables that Fluid promises each component's programs. */
function environmentOf({ name, namespace }: Input, { component, service }: PlannedComponent, mountPath: string): readonly EnvVar[] {
  return [
    { name: 'FLUID_DATASET_NAME', value: name },
    { name: 'FLUID_DATASET_NAMESPACE', value: namespace },
    { name: 'FLUID_RUNTIME_CONFIG_PATH', value: CONFIG_PATH },
    { name: 'FLUID_RUNTIME_MOUNT_PATH', value: mountPath },
    { name: 'FLUID_RUNTIME_COMPONENT_TYPE', value: component },
    { name: 'FLUID_RUNTIME_COMPONENT_SVC_NAME', ...(service && { value: service }) },
  ];
}

/** As in Fluid, volumes of the class win over those of the runtime that have their name. */
function usersVolumes({ spec }: Input, { component, own }: PlannedComponent, { volumes = [] }: PodSpec): readonly Mounted[] {
  return userVolumes(own.volumeMounts, [...volumes, ...(spec.volumes ?? [])], `spec.${component}.volumeMounts`);
}

/** A mount at a path that another has takes its place. */
function joined(mounts: readonly VolumeMount[] = [], more: readonly Mounted[]): VolumeMount[] {
  const paths = new Set(more.map(({ mount }) => mount.mountPath));
  return [...mounts.filter(({ mountPath }) => !paths.has(mountPath)), ...more.map(({ mount }) => mount)];
}

/** As in Fluid, an image without a tag, or a tag without an image, has no effect: a warning says so. */
export function imageOf({ image, imageTag, imagePullPolicy }: NonNullable<PlannedComponent['own']['runtimeVersion']> = {}) {
  return { ...(image && imageTag && { image: `${image}:${imageTag}` }), ...(imagePullPolicy && { imagePullPolicy }) };
}

/** A cache in memory needs it beside what the program needs. Without an amount nothing limits either. */
function withCache(resources: ResourceRequirements, bytes: number): ResourceRequirements {
  if (bytes === 0) return resources;
  const raised = (amounts: ResourceRequirements['limits'], path: string) =>
    amounts?.['memory'] === undefined ? amounts : { ...amounts, memory: bytesQuantity(quantity(amounts['memory'], path) + bytes) };
  const [limits, requests] = [raised(resources.limits, 'resources.limits.memory'), raised(resources.requests, 'resources.requests.memory')];
  return { ...resources, ...(limits && { limits }), ...(requests && { requests }) };
}

/** Kubernetes' own default, which `ComponentProps` would replace. */
const settled = (container: Omit<ContainerProps, 'image'> & { readonly image?: string }): ContainerProps => ({
  ...container,
  imagePullPolicy: container.imagePullPolicy || (isMoving(container.image) ? 'Always' : 'IfNotPresent'),
});
const isMoving = (image = ''): boolean => !image.includes('@') && /(^|\/)[^/:]*(:latest)?$/.test(image);

/**
 * The client shares a directory with its node, which Kubernetes permits to privileged containers alone.
 * @throws InvalidSpec when the class forbids it
 */
export function checkPrivileged({ base }: PlannedComponent, className: string): void {
  const found = base.template?.spec?.containers[0]?.securityContext?.privileged;
  if (found === false)
    throw new InvalidSpec(
      {
        path: 'topology.client.template.spec.containers[0].securityContext.privileged',
        expected: 'true, since the client shares its mount with the node',
        found: shown(found),
      },
      { object: `CacheRuntimeClass ${className}` },
    );
}
