/** Fields that the components of a runtime have in common, each under its name in the CR: `worker: t.Object({ env: opt(fields.env) })`. */
import { Type } from 'typebox';
import * as k8s from './k8s.ts';
import { described, stringMap } from './schema.ts';

/** Environment of a container: `spec.worker.env`. The last of equal names wins. */
export const env = Type.Array(k8s.EnvVar, { description: 'Environment of the container; the later of two equal names wins.' });
/** Secrets to pull images with. */
export const imagePullSecrets = Type.Array(k8s.LocalObjectReference, {
  description: 'Secrets to pull images with, in the same namespace.',
});
/** Labels that a node must have to run the pod. */
export const nodeSelector = stringMap('Labels that a node must have to run the pod.');
/** Options of the file system client, by name. */
export const options = stringMap('Options of the file system client; the value may be empty.');
/** Ports that a container opens. */
export const ports = Type.Array(k8s.ContainerPort, { description: 'Ports that the container opens.' });
/** Resource requests and limits of a container. */
export const resources = described(k8s.ResourceRequirements, 'CPU, memory and other resources of the container.');
/** Taints that pods tolerate. */
export const tolerations = Type.Array(k8s.Toleration, { description: 'Node taints that the pods tolerate.' });
/** Volumes that components can mount, as in `pod.spec.volumes`. */
export const volumes = Type.Array(k8s.Volume, { description: 'Volumes that components can mount; the form is that of pod.spec.volumes.' });
/** Where volumes of `spec.volumes` are mounted in a container. */
export const volumeMounts = Type.Array(k8s.VolumeMount, { description: 'Where volumes of spec.volumes appear in the container.' });
