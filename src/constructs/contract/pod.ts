import type { Container, PersistentVolumeClaim, PodSpec, PodTemplateSpec, SidecarNote } from '../../api/index.ts';

/** The fields of a Kubernetes type; a field that is undefined is absent. */
type Fields<T> = { readonly [Field in keyof T]?: (T[Field] extends (infer Entry)[] | undefined ? readonly Entry[] : T[Field]) | undefined };

/** A container, with any field that Kubernetes' own has. */
export interface ContainerProps extends Fields<Container> {
  /** Name of the container. Other components of Fluid look for it by this name. */
  readonly name: string;
  /** The container mounts a FUSE file system: it is privileged and runs as root, unless `securityContext` says otherwise. */
  readonly fuseClient?: true;
}

/** The pods of one workload, with any field that a PodSpec has. `Master`, `Worker` and `Fuse` add what is the same for every runtime. */
export interface ComponentProps extends Omit<Fields<PodSpec>, 'containers' | 'initContainers'> {
  /** The first container does the work. In `Fuse` it is the FUSE client, with or without `fuseClient`. */
  readonly containers: readonly [ContainerProps, ...ContainerProps[]];
  /** Containers that run before the others, or beside them with `restartPolicy: Always`. */
  readonly initContainers?: readonly ContainerProps[] | undefined;
  /**
   * A pod template that a user wrote, as base. These props win over its fields; containers are merged by name, lists are joined. Of its
   * metadata, labels and annotations count.
   */
  readonly template?: PodTemplateSpec | undefined;
  /** Labels of the pods. The labels by which the workload selects its pods win over them. */
  readonly podLabels?: Readonly<Record<string, string>> | undefined;
  /** Annotations of the pods. */
  readonly podAnnotations?: Readonly<Record<string, string>> | undefined;
  /** For `Fuse`: the parts of its pods that a sidecar does not get. Default: a sidecar gets everything. */
  readonly sidecar?: SidecarNote | undefined;
  /** For masters and workers: the headless Service that gives their pods names. Default: the name of the workload. */
  readonly serviceName?: string | undefined;
  /** For masters and workers, which are StatefulSets. */
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[] | undefined;
}
