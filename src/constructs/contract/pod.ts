import type { Container, PersistentVolumeClaim, PodSpec, PodTemplateSpec } from '../../api/index.ts';

/** Kubernetes' own fields, in which what is undefined is absent. */
type Fields<T> = { readonly [Field in keyof T]?: (T[Field] extends (infer Entry)[] | undefined ? readonly Entry[] : T[Field]) | undefined };

/** One container, in the words of Kubernetes. */
export interface ContainerProps extends Fields<Container> {
  /** Other parts of Fluid find it by its name. */
  readonly name: string;
  /** It mounts a FUSE file system: privileged, as root, unless `securityContext` says otherwise. The first container of `Fuse` does anyway. */
  readonly fuseClient?: true;
}

/** What a runtime says of the pods of one of its workloads, in the words of Kubernetes; all else is the same for every runtime. */
export interface ComponentProps extends Omit<Fields<PodSpec>, 'containers' | 'initContainers'> {
  /** The first does the work: of `Fuse` it is the FUSE client. */
  readonly containers: readonly [ContainerProps, ...ContainerProps[]];
  /** What runs before them, or beside them with `restartPolicy: Always`. */
  readonly initContainers?: readonly ContainerProps[] | undefined;
  /**
   * A template that a user wrote, as base: of its metadata labels and annotations count. What is said here wins where both say something;
   * containers are matched by name, lists are joined.
   */
  readonly template?: PodTemplateSpec | undefined;
  readonly podLabels?: Readonly<Record<string, string>> | undefined;
  readonly podAnnotations?: Readonly<Record<string, string>> | undefined;
  /** Of masters and workers. */
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[] | undefined;
}
