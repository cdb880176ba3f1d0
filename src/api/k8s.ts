/**
 * The only import of Kubernetes types. Each name is a TypeScript type and, where a CRD embeds it, a schema value as well:
 * the shape that the API server publishes, without descriptions, so that unknown fields are pruned as in a pod.
 */
import type * as client from '@kubernetes/client-node';
import { type TSchema, Type } from 'typebox';
import * as gen from './k8s.gen.ts';
import type { Structural } from './resource.ts';

const embedded = <T>(schema: Structural) => Type.Unsafe<T>(schema as TSchema);

export type Affinity = client.V1Affinity;
export const Affinity = embedded<Affinity>(gen.Affinity);
export type ContainerPort = client.V1ContainerPort;
export const ContainerPort = embedded<ContainerPort>(gen.ContainerPort);
export type EnvVar = client.V1EnvVar;
export const EnvVar = embedded<EnvVar>(gen.EnvVar);
export type Lifecycle = client.V1Lifecycle;
export const Lifecycle = embedded<Lifecycle>(gen.Lifecycle);
export type LocalObjectReference = client.V1LocalObjectReference;
export const LocalObjectReference = embedded<LocalObjectReference>(gen.LocalObjectReference);
export type NodeAffinity = client.V1NodeAffinity;
export const NodeAffinity = embedded<NodeAffinity>(gen.NodeAffinity);
export type NodeSelector = client.V1NodeSelector;
export const NodeSelector = embedded<NodeSelector>(gen.NodeSelector);
export type PodSpec = client.V1PodSpec;
export const PodSpec = embedded<PodSpec>(gen.PodSpec);
export type Probe = client.V1Probe;
export const Probe = embedded<Probe>(gen.Probe);
export type ResourceRequirements = client.V1ResourceRequirements;
export const ResourceRequirements = embedded<ResourceRequirements>(gen.ResourceRequirements);
export type Toleration = client.V1Toleration;
export const Toleration = embedded<Toleration>(gen.Toleration);
export type Volume = client.V1Volume;
export const Volume = embedded<Volume>(gen.Volume);
export type VolumeMount = client.V1VolumeMount;
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
export type PodTemplateSpec = client.V1PodTemplateSpec;
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

export type Container = client.V1Container;
export type CSIPersistentVolumeSource = client.V1CSIPersistentVolumeSource;
export type PersistentVolumeClaim = client.V1PersistentVolumeClaim;
export type PersistentVolumeClaimSpec = client.V1PersistentVolumeClaimSpec;
export type PersistentVolumeSpec = client.V1PersistentVolumeSpec;
export type NodeSelectorRequirement = client.V1NodeSelectorRequirement;
export type NodeSelectorTerm = client.V1NodeSelectorTerm;
export type PodSecurityContext = client.V1PodSecurityContext;
export type PolicyRule = client.V1PolicyRule;
export type SecurityContext = client.V1SecurityContext;
export type DaemonSetSpec = client.V1DaemonSetSpec;
export type StatefulSetSpec = client.V1StatefulSetSpec;
export type ServicePort = client.V1ServicePort;
export type ServiceSpec = client.V1ServiceSpec;
