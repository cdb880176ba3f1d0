/** The readings of `sluice takeover`, and its target: each step depends on nothing else. */
import type { Manifest } from '../../api/index.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import type { HelmRecord } from '../fluid/helm.ts';
import type { FluidInstallation } from '../fluid/installation.ts';
import { type PartName, PARTS } from './parts.ts';
import type { TakeoverRecord } from './record.ts';
import type { Seen } from './step.ts';

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
  readonly run: Run;
}

/** The deeds of this run of the command so far. A run that begins again may do it once more: nothing changes then. */
export interface Run {
  /** Parts whose manifests were applied. */
  readonly applied: ReadonlySet<PartName>;
  /** UIDs of the objects that were deleted. */
  readonly deleted: ReadonlySet<string>;
}

/** The run of a command before its first write. */
export const NOTHING_DONE: Run = { applied: new Set(), deleted: new Set() };
/** For commands that apply nothing: an object that exists counts as applied, since only `go` knows with which values. */
export const ALL_APPLIED: Run = { applied: new Set(PARTS), deleted: new Set() };

/** The parts of Sluice that are installed. */
export interface SluiceInstallation {
  /** Objects of the installation that exist and have its labels. */
  readonly objects: readonly OwnObject[];
  /** Parts of which an object does not exist. */
  readonly missing: ReadonlySet<PartName>;
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

export interface OwnObject extends Seen {
  readonly part: PartName;
}

/** A pod of Sluice's own. */
export interface PodView {
  readonly name: string;
  readonly uid: string;
  readonly node?: string;
  /** All its containers run. */
  readonly isRunning: boolean;
  readonly isReady: boolean;
  readonly isEnding: boolean;
  /** Whether the pod serves some namespaces alone, as in a try. */
  readonly isPartial: boolean;
  /** Why a container does not run: `ErrImagePull`. */
  readonly why?: string;
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
