/**
 * The only import of Kubernetes types. Each name is a TypeScript type and, where a CRD embeds it, a schema value as well:
 * the shape that the API server publishes, without descriptions, so that unknown fields are pruned as in a pod.
 */
// Not of the package's index: its types name libraries whose own types a user's project would need.
import type * as client from '@kubernetes/client-node/dist/gen/models/all.js';
import { type TSchema, Type } from 'typebox';
import * as gen from './k8s.gen.ts';
import type { Structural } from './resource.ts';

// Interfaces, rather than aliases: declarations of the package then name these, not what they stand for.

const embedded = <T>(schema: Structural) => Type.Unsafe<T>(schema as TSchema);

/** Affinity of Kubernetes' API, version v1. */
export interface Affinity extends client.V1Affinity {}
export const Affinity = embedded<Affinity>(gen.Affinity);
/** ContainerPort of Kubernetes' API, version v1. */
export interface ContainerPort extends client.V1ContainerPort {}
export const ContainerPort = embedded<ContainerPort>(gen.ContainerPort);
/** EnvVar of Kubernetes' API, version v1. */
export interface EnvVar extends client.V1EnvVar {}
export const EnvVar = embedded<EnvVar>(gen.EnvVar);
/** Lifecycle of Kubernetes' API, version v1. */
export interface Lifecycle extends client.V1Lifecycle {}
export const Lifecycle = embedded<Lifecycle>(gen.Lifecycle);
/** LocalObjectReference of Kubernetes' API, version v1. */
export interface LocalObjectReference extends client.V1LocalObjectReference {}
export const LocalObjectReference = embedded<LocalObjectReference>(gen.LocalObjectReference);
/** NodeAffinity of Kubernetes' API, version v1. */
export interface NodeAffinity extends client.V1NodeAffinity {}
export const NodeAffinity = embedded<NodeAffinity>(gen.NodeAffinity);
/** NodeSelector of Kubernetes' API, version v1. */
export interface NodeSelector extends client.V1NodeSelector {}
export const NodeSelector = embedded<NodeSelector>(gen.NodeSelector);
/** PodSecurityContext of Kubernetes' API, version v1. */
export interface PodSecurityContext extends client.V1PodSecurityContext {}
export const PodSecurityContext = embedded<PodSecurityContext>(gen.PodSecurityContext);
/** PodSpec of Kubernetes' API, version v1. */
export interface PodSpec extends client.V1PodSpec {}
export const PodSpec = embedded<PodSpec>(gen.PodSpec);
/** Probe of Kubernetes' API, version v1. */
export interface Probe extends client.V1Probe {}
export const Probe = embedded<Probe>(gen.Probe);
/** ResourceRequirements of Kubernetes' API, version v1. */
export interface ResourceRequirements extends client.V1ResourceRequirements {}
export const ResourceRequirements = embedded<ResourceRequirements>(gen.ResourceRequirements);
/** SecurityContext of Kubernetes' API, version v1. */
export interface SecurityContext extends client.V1SecurityContext {}
export const SecurityContext = embedded<SecurityContext>(gen.SecurityContext);
/** Toleration of Kubernetes' API, version v1. */
export interface Toleration extends client.V1Toleration {}
export const Toleration = embedded<Toleration>(gen.Toleration);
/** Volume of Kubernetes' API, version v1. */
export interface Volume extends client.V1Volume {}
export const Volume = embedded<Volume>(gen.Volume);
/** VolumeMount of Kubernetes' API, version v1. */
export interface VolumeMount extends client.V1VolumeMount {}
export const VolumeMount = embedded<VolumeMount>(gen.VolumeMount);

/** A volume without its name. */
export type VolumeSource = Omit<client.V1Volume, 'name'>;
const { name: _, ...sources } = gen.Volume.properties ?? {};
export const VolumeSource = embedded<VolumeSource>({ type: 'object', properties: sources });

/** A claim to be made; of its metadata, what a template may set. */
export type PersistentVolumeClaimTemplate = Pick<client.V1PersistentVolumeClaim, 'apiVersion' | 'kind' | 'spec' | 'status'> & {
  metadata?: { name?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
};
const strings: Structural = { type: 'object', additionalProperties: { type: 'string' } };
export const PersistentVolumeClaimTemplate = embedded<PersistentVolumeClaimTemplate>({
  ...gen.PersistentVolumeClaim,
  properties: {
    ...gen.PersistentVolumeClaim.properties,
    metadata: { type: 'object', properties: { name: { type: 'string' }, labels: strings, annotations: strings } },
  },
});

/** A pod's template; of its metadata, labels and annotations. */
export interface PodTemplateSpec extends client.V1PodTemplateSpec {}
export const PodTemplateSpec = embedded<PodTemplateSpec>({
  type: 'object',
  properties: {
    metadata: { type: 'object', properties: { labels: strings, annotations: strings } },
    spec: gen.PodSpec,
  },
});

/** An amount: 10Gi, 500m, 3. */
export type Quantity = string | number;
export const Quantity = embedded<Quantity>(gen.Quantity);

/** Container of Kubernetes' API, version v1. */
export interface Container extends client.V1Container {}
/** CSIPersistentVolumeSource of Kubernetes' API, version v1. */
export interface CSIPersistentVolumeSource extends client.V1CSIPersistentVolumeSource {}
/** PersistentVolumeClaim of Kubernetes' API, version v1. */
export interface PersistentVolumeClaim extends client.V1PersistentVolumeClaim {}
/** PersistentVolumeClaimSpec of Kubernetes' API, version v1. */
export interface PersistentVolumeClaimSpec extends client.V1PersistentVolumeClaimSpec {}
/** PersistentVolumeSpec of Kubernetes' API, version v1. */
export interface PersistentVolumeSpec extends client.V1PersistentVolumeSpec {}
/** NodeSelectorRequirement of Kubernetes' API, version v1. */
export interface NodeSelectorRequirement extends client.V1NodeSelectorRequirement {}
/** NodeSelectorTerm of Kubernetes' API, version v1. */
export interface NodeSelectorTerm extends client.V1NodeSelectorTerm {}
/** PodSecurityContext of Kubernetes' API, version v1. */
export interface PodSecurityContext extends client.V1PodSecurityContext {}
/** PolicyRule of Kubernetes' API, group and version rbac.authorization.k8s.io/v1. */
export interface PolicyRule extends client.V1PolicyRule {}
/** SecurityContext of Kubernetes' API, version v1. */
export interface SecurityContext extends client.V1SecurityContext {}
/** DaemonSetSpec of Kubernetes' API, group and version apps/v1. */
export interface DaemonSetSpec extends client.V1DaemonSetSpec {}
/** StatefulSetSpec of Kubernetes' API, group and version apps/v1. */
export interface StatefulSetSpec extends client.V1StatefulSetSpec {}
/** ServicePort of Kubernetes' API, version v1. */
export interface ServicePort extends client.V1ServicePort {}
/** ServiceSpec of Kubernetes' API, version v1. */
export interface ServiceSpec extends client.V1ServiceSpec {}

/** A type of the client as the API server returns it in JSON: its times are text. */
type InJson<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? readonly InJson<Item>[]
    : T extends object
      ? { readonly [Field in keyof T]: InJson<T[Field]> }
      : T;
/** PodStatus of Kubernetes' API, version v1, as the API server returns it. */
export interface PodStatus extends InJson<client.V1PodStatus> {}
/** ContainerStatus of Kubernetes' API, version v1, as the API server returns it. */
export interface ContainerStatus extends InJson<client.V1ContainerStatus> {}
/** Status of Kubernetes' API, version meta/v1: the API server's own account of how a request ended. */
export interface Status extends InJson<client.V1Status> {}
