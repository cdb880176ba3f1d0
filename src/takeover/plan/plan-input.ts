import type { ServerVersion } from '../../kube/contract.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { PlacementNode } from '../../planning/diff/fuse-placement.ts';
import type { FluidInstallation } from '../fluid/installation.ts';
import type { MissingRight } from '../fluid/reads.ts';
import type { ValuesPlan } from './carry-over.ts';
import type { Change } from '../../planning/diff/change.ts';

/** All that a plan follows from. */
export interface TakeoverInput {
  readonly fluid: FluidInstallation;
  readonly kubernetes: Pick<ServerVersion, 'major' | 'minor' | 'gitVersion'>;
  readonly datasets: readonly KubeObject[];
  readonly runtimes: readonly KubeObject[];
  readonly operations: readonly KubeObject[];
  /** Objects of kinds that Sluice does not serve. */
  readonly notServed: readonly KubeObject[];
  /** AdvancedStatefulSets of Fluid, whose pods StatefulSets adopt. */
  readonly replaced: readonly KubeObject[];
  /** By the runtime or the operation that they belong to: `JuiceFSRuntime ml/demo`. */
  readonly changes: readonly { readonly of: string; readonly changes: readonly Change[] }[];
  readonly faults: readonly PlanFault[];
  /** References to Datasets that do not allow them. */
  readonly ungranted: readonly { readonly object: string; readonly message: string; readonly isBound: boolean }[];
  /** Further messages about specs, a line each. */
  readonly warnings: readonly string[];
  /** Objects that are being deleted. */
  readonly deleting: readonly string[];
  /** Kinds that the user may not list in all namespaces. */
  readonly unlisted: readonly string[];
  readonly nodes: readonly PlacementNode[];
  /** Nodes on which Fluid's controllers run. */
  readonly home: readonly KubeObject[];
  readonly values: ValuesPlan;
  /** Values that `sluice install` would reject, a sentence each. */
  readonly valueFaults: readonly string[];
  /** Rights that the take-over needs and the user lacks. undefined: the API server does not say. */
  readonly lacked: readonly MissingRight[] | undefined;
}

export interface PlanFault {
  /** `Dataset ml/demo`; absent if no object could be read. */
  readonly object?: string;
  /** `spec.replicas: expected an integer, found "three"`. */
  readonly message: string;
  /** A Dataset without a runtime, or a runtime without a Dataset. */
  readonly lone?: boolean;
}
