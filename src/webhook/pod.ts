import type { PodSpec } from '../api/index.ts';

/** A Pod as a request for admission has it: any field that a user may write, none of them validated yet. */
export interface Pod {
  readonly metadata: AdmittedMetadata;
  readonly spec: Readonly<PodSpec>;
  readonly [field: string]: unknown;
}
export interface AdmittedMetadata {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export const labelsOf = ({ metadata }: Pod): Readonly<Record<string, string>> => metadata.labels ?? {};
export const annotationsOf = ({ metadata }: Pod): Readonly<Record<string, string>> => metadata.annotations ?? {};

/** Names of the volumes of a pod that are one of these claims. */
export const volumesOf = ({ spec }: Pod, claims: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(
    (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim }) =>
      persistentVolumeClaim && claims.has(persistentVolumeClaim.claimName) ? [name] : [],
    ),
  );

export const withSpec = (pod: Pod, spec: Partial<PodSpec>): Pod => ({ ...pod, spec: { ...pod.spec, ...spec } });
export const withLabels = (pod: Pod, labels: Readonly<Record<string, string>>): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...labels } },
});
export const withAnnotations = (pod: Pod, annotations: Readonly<Record<string, string>>): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...annotations } },
});
