import type { EnvVar, PodSpec, Volume, VolumeMount } from '../api/index.ts';
import type { Mounted } from './user-volumes.ts';

/**
 * Whether pods have the network of their node: as in Fluid, unless the spec says ContainerNetwork.
 * @example
 * isOnHost({ networkMode: 'ContainerNetwork' }); // → false
 */
export const isOnHost = ({ networkMode }: { readonly networkMode?: string } = {}): boolean => networkMode !== 'ContainerNetwork';

/** Fields of a spec about pods, for all of them or for those of one component. */
export interface PodFields {
  /** Labels and annotations. */
  readonly podMetadata?: Readonly<Partial<Record<'labels' | 'annotations', Readonly<Record<string, string>>>>>;
  /** Secrets of registries. */
  readonly imagePullSecrets?: PodSpec['imagePullSecrets'];
}

/** Props of pods, for a component. */
export interface PodBase {
  /** Secrets of registries. */
  readonly imagePullSecrets: PodSpec['imagePullSecrets'];
  /** Labels of the pods. */
  readonly podLabels: Readonly<Record<string, string>>;
  /** Annotations of the pods. */
  readonly podAnnotations: Readonly<Record<string, string>>;
  /** Labels of the nodes on which the pods run. */
  readonly nodeSelector: Readonly<Record<string, string>> | undefined;
  /** The pods have the network of their node. */
  readonly hostNetwork: boolean;
}

/**
 * Props of pods that users decide in the same way for every runtime: labels and annotations of both, the component's over the runtime's; the
 * component's pull secrets, or else the runtime's; its node selector and its network.
 * @example
 * podBase({ podMetadata: { labels: { team: 'a' } } }, { networkMode: 'ContainerNetwork' }).podLabels; // → { team: 'a' }
 */
export const podBase = (
  spec: PodFields,
  own: PodFields & { readonly networkMode?: string; readonly nodeSelector?: Readonly<Record<string, string>> } = {},
): PodBase => ({
  imagePullSecrets: own.imagePullSecrets?.length ? own.imagePullSecrets : spec.imagePullSecrets,
  podLabels: { ...spec.podMetadata?.labels, ...own.podMetadata?.labels },
  podAnnotations: { ...spec.podMetadata?.annotations, ...own.podMetadata?.annotations },
  nodeSelector: own.nodeSelector,
  hostNetwork: isOnHost(own),
});

/**
 * Volumes for a pod, and where its container mounts them. A volume that is mounted twice is rendered once; two of one name are refused.
 * @example
 * volumesOf([{ volume: { name: 'tmp', emptyDir: {} }, mount: { name: 'tmp', mountPath: '/tmp' } }]).volumeMounts; // → [{ name: 'tmp', mountPath: '/tmp' }]
 */
export const volumesOf = (
  ...lists: readonly (readonly Mounted[])[]
): { readonly volumes: readonly Volume[]; readonly volumeMounts: readonly VolumeMount[] } => ({
  volumes: lists.flat().map(({ volume }) => volume),
  volumeMounts: lists.flat().map(({ mount }) => mount),
});

/**
 * A variable with a field of the pod, which only Kubernetes knows.
 * @example
 * fromField('POD_NAME', 'metadata.name').name; // → 'POD_NAME'
 */
export const fromField = (name: string, fieldPath: string): EnvVar => ({ name, valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } });
