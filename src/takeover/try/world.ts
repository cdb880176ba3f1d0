/** Observations and aims of `sluice takeover try`: its steps depend on nothing else. */
import type { CustomResource, Manifest } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { Fence } from './policies.ts';

/** The controller that serves the namespaces, and what it needs. */
export interface TryTarget {
  /** Namespace of Fluid's controllers, and of Sluice's. */
  readonly system: string;
  /** User names of Fluid's controllers. */
  readonly users: readonly string[];
  /** Sorted; those that Sluice serves in the end. Empty: none. */
  readonly namespaces: readonly string[];
  /** Namespaces that are given back. */
  readonly back: readonly string[];
  /** Kinds of runtimes. */
  readonly runtimes: readonly CustomResource[];
  readonly crds: readonly Manifest[];
  /** Manifests of the controller with these namespaces, its rights included. */
  readonly controller: readonly Manifest[];
}

/** One reading of the cluster. */
export interface TryWorld {
  readonly target: TryTarget;
  /** Whom the policies keep off what; undefined if there are none as they should be. */
  readonly fence: Fence | undefined;
  /** Whether a policy or a binding of that name exists, also one that was changed. */
  readonly isFenceLeft: boolean;
  /** Namespaces in which the API server was seen to refuse. */
  readonly inForce: ReadonlySet<string>;
  readonly controller: TryController;
  /** Runtimes of `target.namespaces` that Sluice has not looked at, as `ThinRuntime ml/demo`. */
  readonly untouched: readonly string[];
  /** Datasets of `target.back` that Fluid would not set up. */
  readonly unbound: readonly Unbound[];
  /** Parts that this run of the command has applied. */
  readonly applied: ReadonlySet<TryPart>;
}
export type TryPart = 'crds' | 'fence' | 'controller';

export interface TryController {
  /** Absent if it does not exist. `namespaces` is undefined if it serves all. */
  readonly deployment?: { readonly uid: string; readonly namespaces: readonly string[] | undefined; readonly image?: string };
  readonly pods: readonly ControllerPod[];
  /** Holder of the Lease of the election; empty if none. */
  readonly leader: string;
}
export interface ControllerPod {
  readonly name: string;
  readonly uid: string;
  readonly namespaces: readonly string[] | undefined;
  /** Why it does not run: `ErrImagePull`. */
  readonly why?: string;
}
export interface Unbound {
  readonly namespace: string;
  readonly name: string;
}

interface Pods {
  readonly containers?: readonly { readonly name: string; readonly image?: string; readonly args?: readonly string[] }[];
}

/** The namespaces that a pod of the controller serves, by its arguments; undefined: all. */
export function namespacesIn({ containers = [] }: Pods): readonly string[] | undefined {
  const args = containers.flatMap((container) => container.args ?? []);
  const at = args.findLastIndex((arg) => arg === NAMESPACES || arg.startsWith(`${NAMESPACES}=`));
  const text = at < 0 ? undefined : args[at]?.startsWith(`${NAMESPACES}=`) ? args[at].slice(NAMESPACES.length + 1) : args[at + 1];
  return text?.split(',').toSorted();
}

/** Deployment and ServiceAccount of Sluice's controller. */
export const CONTROLLER = 'sluice-controller';
/** The flag of `sluice reconcile`. */
export const NAMESPACES = '--namespaces';

/** The spec of the pods of a Deployment. */
export const podsOf = (deployment: KubeObject): Pods =>
  // The cast: a Deployment has a template.
  (deployment['spec'] as { readonly template: { readonly spec: Pods } }).template.spec;
