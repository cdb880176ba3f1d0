/** Observations and aims of `sluice takeover try`: its steps depend on nothing else. */
import type { CustomResource, Manifest } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { PodView } from '../steps/pod-view.ts';
import type { Run, Seen } from '../steps/step.ts';
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
  /** All policies of a try and their bindings, those that were changed too. */
  readonly policies: readonly Seen[];
  /** Namespaces in which the API server was seen to refuse. */
  readonly inForce: ReadonlySet<string>;
  readonly controller: TryController;
  /** Live objects of `target.controller`. */
  readonly objects: readonly Seen[];
  /** Runtimes of `target.namespaces` that Sluice has not looked at, as `ThinRuntime ml/demo`. */
  readonly untouched: readonly string[];
  /** Datasets of `target.back`. */
  readonly datasets: readonly KubeObject[];
  readonly run: Run;
}

export interface TryController {
  /** Absent if it does not exist. `namespaces` is undefined if it serves all. */
  readonly deployment?: { readonly namespaces: readonly string[] | undefined; readonly image?: string };
  readonly pods: readonly PodView[];
  /** Holder of the Lease of the election; empty if none. */
  readonly leader: string;
}

/** Deployment and ServiceAccount of Sluice's controller. */
export const CONTROLLER = 'sluice-controller';
