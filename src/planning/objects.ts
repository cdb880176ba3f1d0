import type { Manifest, Resource, RuntimeStatus } from '../api/index.ts';
import type { KubeObject, ObjectMeta } from '../kube/types.ts';

/** A custom resource of one of the runtimes. Only that runtime's plan reads its spec. */
export type RuntimeObject = Resource<object, RuntimeStatus>;

/** An object of the cluster; of a watched one, the fields that store/projection.ts keeps. */
export interface LiveObject extends KubeObject {
  readonly metadata: ObjectMeta & { readonly uid: string; readonly resourceVersion: string };
  readonly status?: Readonly<Record<string, unknown>>;
}

/** Pods of one workload, counted by the API server. */
export interface WorkloadView {
  readonly desired: number;
  readonly current: number;
  readonly ready: number;
  readonly available: number;
  /** Pods of which a container ends again and again. */
  readonly crashing: readonly CrashingPod[];
  /** Pods that do not start: no node admits them, or a container of theirs cannot be created. */
  readonly unstarted: readonly UnstartedPod[];
  /** Names of pods that still run an older template; they restart when their user deletes them. */
  readonly outdated: readonly string[];
}

/** How a container ended last that does not stay. */
export interface Crash {
  readonly exitCode: number;
  /** The end of its output, if its node kept it; whoever runs the pod decides what it says. */
  readonly message: string;
}
export interface CrashingPod extends Crash {
  readonly name: string;
}

/** Why a pod does not start, as Kubernetes reports it. */
export interface Unstarted {
  /** `Unschedulable`, `ImagePullBackOff`, `CreateContainerConfigError`. */
  readonly reason: string;
  /** Without secrets, and cut; empty if Kubernetes says no more. */
  readonly message: string;
  /** RFC 3339; empty if it is not known. */
  readonly since: string;
}
export interface UnstartedPod extends Unstarted {
  readonly name: string;
}

/** A desired object, identified by the hash of its manifest, which is rendered only when it has to be compared or applied. */
export interface DesiredObject {
  readonly kind: string;
  readonly name: string;
  readonly hash: string;
  /** One and the same object in all passes over one plan, so that what a pass finds out reaches the next one. */
  readonly finding: Finding;
  manifest(): Manifest;
}

/** The applier's result when it last compared a live object with the desired object. */
export interface Finding {
  found: unknown;
  /** The controller created the object, and has found out nothing else since. */
  made?: boolean;
}

/** A Secret that does not exist, or lacks these keys. */
export interface MissingSecret {
  /** `<name>`, or `<namespace>/<name>` for a Secret outside of the dataset's namespace. */
  readonly name: string;
  readonly keys?: readonly string[];
}
