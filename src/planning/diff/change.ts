import type { KubeObject } from '../../kube/types.ts';

/** The change that the controller would make to one object. */
export interface Change {
  readonly object: string;
  /** `unknown`: it was not compared, for lack of rights. */
  readonly action: 'add' | 'change' | 'prune' | 'refuse' | 'none' | 'unknown';
  readonly before?: KubeObject;
  readonly after?: KubeObject;
  /** Why the object cannot be written. */
  readonly problem?: string;
  /** Why nothing would be done. */
  readonly note?: string;
  /** Changes that Kubernetes does not allow, as sentences. */
  readonly immutable: readonly string[];
  /** Pods that would keep the old template until a user deletes them. */
  readonly stale: readonly string[];
  /** Pods that would be replaced. */
  readonly restarting: readonly string[];
  /** Pods that Fluid created, and that would get the label by which the controller finds pods. They run on. */
  readonly labelled?: readonly string[];
}
