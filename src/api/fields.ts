/** Fields that the components of a runtime have in common, each under its name in the CR: `worker: t.Object({ env: opt(fields.env) })`. */
import { Type } from 'typebox';
import * as k8s from './k8s.ts';
import { described, stringMap } from './schema.ts';

export const env = Type.Array(k8s.EnvVar, { description: 'Environment of the container; the later of two equal names wins.' });
export const imagePullSecrets = Type.Array(k8s.LocalObjectReference, {
  description: 'Secrets to pull images with, in the same namespace.',
});
export const nodeSelector = stringMap('Labels that a node must have to run the pod.');
export const options = stringMap('Options of the file system client; the value may be empty.');
export const ports = Type.Array(k8s.ContainerPort, { description: 'Ports that the container opens.' });
export const resources = described(k8s.ResourceRequirements, 'CPU, memory and other resources of the container.');
export const tolerations = Type.Array(k8s.Toleration, { description: 'Node taints that the pods tolerate.' });
export const volumes = Type.Array(k8s.Volume, { description: 'Volumes that components can mount; the form is that of pod.spec.volumes.' });
export const volumeMounts = Type.Array(k8s.VolumeMount, { description: 'Where volumes of spec.volumes appear in the container.' });
