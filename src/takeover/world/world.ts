/** The readings of `go`, `back` and `finish`, and their target: each step depends on nothing else. */
import type { Manifest } from '../../api/index.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import type { HelmRecord } from '../fluid/helm.ts';
import type { FluidInstallation } from '../fluid/installation.ts';
import type { OwnObjects } from './own-objects.ts';
import { type PartName, PARTS, type RefusedPods } from './parts.ts';
import type { TakeoverRecord } from './record.ts';
import type { PodView } from '../steps/pod-view.ts';
import type { Run } from '../steps/step.ts';

/** The installation of Sluice that takes over. */
export interface Target {
  readonly namespace: string;
  /** Values of the installation, without its defaults. */
  readonly values: object;
  readonly parts: ReadonlyMap<PartName, readonly Manifest[]>;
  /** Kinds of Fluid's in place of which Sluice has StatefulSets. */
  readonly workloads: readonly ResourceType[];
  /** All custom resources. */
  readonly kinds: readonly ResourceType[];
}

/** One reading of the cluster. */
export interface World {
  readonly target: Target;
  readonly fluid: FluidInstallation;
  readonly record: TakeoverRecord;
  readonly sluice: SluiceInstallation;
  /** Nodes by name, in the order of their names. */
  readonly nodes: readonly PluginNode[];
  /** Objects of `target.workloads`; on the way there, read only while the record has none. */
  readonly workloads: readonly KubeObject[];
  /** Asked only for `go`, while a controller of Fluid runs. */
  readonly refused: RefusedPods;
  readonly run: Run;
}

/** For commands that apply nothing: an object that exists counts as applied, since only `go` knows with which values. */
export const ALL_APPLIED: Run = { applied: new Set(PARTS), deleted: new Set() };

/** The parts of Sluice that are installed. */
export interface SluiceInstallation extends OwnObjects<PartName> {
  /** Custom resources that the API server serves, by plural. */
  readonly kinds: ReadonlySet<string>;
  readonly controller: readonly PodView[];
  /** Holder of the Lease of the election; empty if none. */
  readonly leader: string;
  readonly nodePlugin: readonly PodView[];
  readonly webhook: readonly PodView[];
  /** Names of the pods behind the webhook's Service. undefined: it may not be read. */
  readonly endpoints: readonly string[] | undefined;
  /** Records of helm's release of Fluid that were hidden from helm. */
  readonly hidden: readonly HelmRecord[];
}

/** A node and its plugins. */
export interface PluginNode {
  readonly name: string;
  readonly isReady: boolean;
  /** Whether the kubelet has registered a plugin of the driver. undefined: it may not be read. */
  readonly hasDriver: boolean | undefined;
  readonly fluid?: { readonly name: string; readonly uid: string };
  readonly sluice?: PodView;
}
