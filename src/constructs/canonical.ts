import {
  type Container,
  canonicalQuantity,
  type EnvVar,
  type Lifecycle,
  type PersistentVolumeClaim,
  type PodSpec,
  type Probe,
  type ResourceRequirements,
  type Volume,
} from '../api/index.ts';
import type { ComponentProps, ContainerProps } from './contract.ts';
import { byKey, portKey, variablesByName } from './merge.ts';

type LifecycleHandler = NonNullable<Lifecycle['preStop']>;

type Rendered = Omit<ComponentProps, 'containers' | 'template' | 'podLabels' | 'podAnnotations' | 'volumeClaimTemplates'> & {
  readonly containers: readonly ContainerProps[];
};

/**
 * A pod as the API server prints it, so that what comes back equals what was sent and an unchanged object is not applied again: amounts in
 * its form, one entry for each key in lists that it merges. The server rejects an apply in which a key repeats, although it accepts a create.
 */
export function canonicalPod(pod: Rendered, path: string): object {
  const { serviceAccount, serviceAccountName = serviceAccount, overhead, volumes, nodeSelector } = pod;
  return {
    ...said(pod),
    containers: pod.containers.map((container, i) => canonicalContainer(container, `${path}.containers[${i}]`)),
    initContainers: unlessEmpty(pod.initContainers?.map((container, i) => canonicalContainer(container, `${path}.initContainers[${i}]`))),
    volumes: byKey(nameOf, volumes?.map(canonicalVolume), 'equal', `${path}.volumes`),
    nodeSelector: nodeSelector && Object.keys(nodeSelector).length > 0 ? nodeSelector : undefined,
    tolerations: unlessEmpty(pod.tolerations),
    imagePullSecrets: byKey(nameOf, pod.imagePullSecrets, 'first'),
    hostAliases: byKey(({ ip }) => ip, pod.hostAliases, 'equal', `${path}.hostAliases`),
    resourceClaims: byKey(nameOf, pod.resourceClaims, 'equal', `${path}.resourceClaims`),
    schedulingGates: byKey(nameOf, pod.schedulingGates, 'first'),
    topologySpreadConstraints: byKey(
      ({ topologyKey, whenUnsatisfiable }) => `${topologyKey}/${whenUnsatisfiable}`,
      pod.topologySpreadConstraints,
      'equal',
      `${path}.topologySpreadConstraints`,
    ),
    overhead: overhead && canonicalMap(overhead, `${path}.overhead`),
    resources: pod.resources && canonicalResources(pod.resources, `${path}.resources`),
    // The API server prints the deprecated name as well.
    serviceAccountName: serviceAccountName || undefined,
    serviceAccount: undefined,
  } satisfies Partial<Record<keyof PodSpec, unknown>>;
}

function canonicalContainer({ fuseClient: _isClient, ...container }: ContainerProps, path: string): object {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  return {
    ...said(container),
    env: variablesByName(container.env)?.map((variable) => canonicalVariable(variable, `${path}.env`)),
    envFrom: unlessEmpty(container.envFrom),
    ports: byKey(portKey, container.ports, 'first'),
    resources: container.resources && canonicalResources(container.resources, `${path}.resources`),
    volumeMounts: byKey(({ mountPath }) => mountPath, container.volumeMounts, 'equal', `${path}.volumeMounts`),
    ...(lifecycle && { lifecycle: canonicalLifecycle(lifecycle) }),
    ...(livenessProbe && { livenessProbe: canonicalProbe(livenessProbe) }),
    ...(readinessProbe && { readinessProbe: canonicalProbe(readinessProbe) }),
    ...(startupProbe && { startupProbe: canonicalProbe(startupProbe) }),
    volumeDevices: byKey(({ devicePath }) => devicePath, container.volumeDevices, 'equal', `${path}.volumeDevices`),
  } satisfies Partial<Record<keyof Container, unknown>>;
}

/** The API server replaces an empty text of these fields by its default. */
function said<T extends object>(fields: T): T {
  for (const field in fields)
    if (fields[field] === '') return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')) as T;
  return fields;
}

const canonicalLifecycle = ({ postStart, preStop, ...rest }: Lifecycle): Lifecycle => ({
  ...rest,
  ...(postStart && { postStart: canonicalHandler(postStart) }),
  ...(preStop && { preStop: canonicalHandler(preStop) }),
});
/** The API server replaces a 0 in a probe by its default. */
const canonicalProbe = (probe: Probe): Probe =>
  canonicalHandler(Object.fromEntries(Object.entries(probe).filter(([, value]) => value !== 0)) as Probe);
const canonicalHandler = <T extends LifecycleHandler>(handler: T): T =>
  handler.httpGet ? { ...handler, httpGet: said(handler.httpGet) } : handler;

function canonicalVariable(variable: EnvVar, path: string): EnvVar {
  const { resourceFieldRef } = variable.valueFrom ?? {};
  if (!resourceFieldRef) return variable;
  return { ...variable, valueFrom: { resourceFieldRef: canonicalField(resourceFieldRef, `${path}[${variable.name}].valueFrom`) } };
}
/** A field of a container's resources, in units of `divisor`. */
const canonicalField = <T extends { divisor?: string }>(field: T, path: string): T =>
  field.divisor === undefined ? field : { ...field, divisor: canonicalQuantity(field.divisor, `${path}.resourceFieldRef.divisor`) };

export function canonicalResources(resources: ResourceRequirements | undefined, path: string): ResourceRequirements {
  if (!resources) return {};
  const { limits, requests, ...rest } = resources;
  return {
    ...rest,
    ...(isFilled(limits) && { limits: canonicalMap(limits, `${path}.limits`) }),
    ...(isFilled(requests) && { requests: canonicalMap(requests, `${path}.requests`) }),
  };
}

export function canonicalVolume(volume: Volume): Volume {
  const { emptyDir, ephemeral, downwardAPI, projected } = volume;
  const path = `spec.volumes[${volume.name}]`;
  if (emptyDir?.sizeLimit !== undefined)
    return { ...volume, emptyDir: { ...emptyDir, sizeLimit: canonicalQuantity(emptyDir.sizeLimit, `${path}.emptyDir.sizeLimit`) } };
  if (ephemeral?.volumeClaimTemplate)
    return { ...volume, ephemeral: { volumeClaimTemplate: canonicalClaim(ephemeral.volumeClaimTemplate, `${path}.ephemeral`) } };
  if (downwardAPI) return { ...volume, downwardAPI: canonicalItems(downwardAPI, `${path}.downwardAPI`) };
  if (projected?.sources?.some(({ downwardAPI }) => downwardAPI)) {
    const sources = projected.sources.map((source, i) =>
      source.downwardAPI
        ? { ...source, downwardAPI: canonicalItems(source.downwardAPI, `${path}.projected.sources[${i}].downwardAPI`) }
        : source,
    );
    return { ...volume, projected: { ...projected, sources } };
  }
  return volume;
}
const canonicalItems = <T extends NonNullable<Volume['downwardAPI']>>(source: T, path: string): T => ({
  ...source,
  ...(source.items && {
    items: source.items.map((item, i) =>
      item.resourceFieldRef ? { ...item, resourceFieldRef: canonicalField(item.resourceFieldRef, `${path}.items[${i}]`) } : item,
    ),
  }),
});

export const canonicalClaim = <T extends Pick<PersistentVolumeClaim, 'spec'>>({ spec, ...claim }: T, path: string) =>
  ({
    ...claim,
    ...(spec && { spec: { ...spec, ...(spec.resources && { resources: canonicalResources(spec.resources, `${path}.spec.resources`) }) } }),
  }) as T;

const nameOf = ({ name }: { readonly name?: string }) => name;
/** The API server drops empty lists: one that was sent would never come back. */
export const unlessEmpty = <T>(list: readonly T[] | undefined) => (list?.length ? list : undefined);
const isFilled = (amounts: object | undefined): amounts is Record<string, string> =>
  amounts !== undefined && Object.keys(amounts).length > 0;
const canonicalMap = (amounts: Readonly<Record<string, string>>, path: string): Record<string, string> =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, canonicalQuantity(amount, `${path}.${name}`)]));
