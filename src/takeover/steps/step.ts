/**
 * The shape of a try, of a take-over, of the way back and of the end (docs/adr/0041-an-order-is-a-list-of-steps.md): a pass reads the
 * cluster, and the first step of a list that is not done decides. So a run that was interrupted begins again where the cluster is.
 */
import type { Manifest } from '../../api/index.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';

/** One object, as it was read. */
export interface Seen {
  readonly type: ResourceType;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly uid: string;
}

/** An object as it was read, for an action. */
export const seen = (type: ResourceType, { metadata: { namespace, name, uid = '' } }: KubeObject): Seen => ({ type, namespace, name, uid });

/** A write. Each may be repeated: the second time it changes nothing. */
export type Action =
  /** Applies manifests in their order. `part` is their name in a run, `says` in words. */
  | { readonly do: 'apply'; readonly part: string; readonly says: string; readonly manifests: readonly (Manifest | KubeObject)[] }
  /** Creates a ConfigMap without a version, and replaces that version otherwise: of two runs at once, one begins again. */
  | { readonly do: 'record'; readonly object: KubeObject }
  | { readonly do: 'scale'; readonly object: Seen; readonly replicas: number }
  /** Makes this the holder of a Lease; empty: it becomes free. One without a version is created. */
  | { readonly do: 'hold'; readonly lease: KubeObject; readonly holder: string }
  | { readonly do: 'delete'; readonly object: Seen; readonly leavesPods?: true; readonly gracePeriodSeconds?: number }
  /** Creates an object, or replaces the one of that name. */
  | { readonly do: 'restore'; readonly type: ResourceType; readonly object: KubeObject }
  /** A merge patch. `says` has a place `…` for the object. */
  | {
      readonly do: 'patch';
      readonly object: Omit<Seen, 'uid'>;
      readonly subresource?: 'status';
      readonly patch: object;
      readonly says: string;
    };

/** The request of one step. */
export interface Contribution {
  /** In this order; then the cluster is read again. */
  readonly actions?: readonly Action[];
  /** The step waits until this holds, for at most `withinMs` while these words are the same. */
  readonly waitsFor?: string;
  /** Why it does not hold yet: `ErrImagePull`. */
  readonly because?: string;
  readonly withinMs?: number;
  /** After `withinMs`, whatever the words, the next step begins without it. */
  readonly isOptional?: true;
  /** Only an operator can go on: one line each. */
  readonly refusal?: readonly string[];
}

/** A step of a list over the world `W`. */
export interface Step<W> {
  /** A sentence that is true once the step is done. */
  readonly title: string;
  /** A sentence about the work of the step, for `--dry-run`. */
  readonly does?: string;
  /** undefined: it is done. Depends on the world alone. */
  readonly of: (world: W) => Contribution | undefined;
  /** Why it may have been undone after it was done. */
  readonly undoneBy?: (world: W) => readonly string[];
}

/** The deeds of this run of a command so far. A run that begins again may do it once more: nothing changes then. */
export interface Run {
  /** Parts whose manifests were applied. */
  readonly applied: ReadonlySet<string>;
  /** UIDs of the objects that were deleted. */
  readonly deleted: ReadonlySet<string>;
}

/** The run of a command before its first write. */
export const NOTHING_DONE: Run = { applied: new Set(), deleted: new Set() };

/** An action in the words of a report. */
export function inWords(action: Action): string {
  switch (action.do) {
    case 'apply':
      return `apply the manifests of ${action.says}`;
    case 'record':
      return `write the record, ConfigMap ${nameOf(action.object.metadata)}`;
    case 'scale':
      return `scale ${action.object.type.kind} ${nameOf(action.object)} to ${action.replicas}`;
    case 'hold':
      return `${action.holder === '' ? 'release' : 'hold'} Lease ${nameOf(action.lease.metadata)}`;
    case 'delete':
      return `delete ${action.object.type.kind} ${nameOf(action.object)}${action.leavesPods ? ', and leave its pods' : ''}`;
    case 'restore':
      return `restore ${action.object.kind} ${nameOf(action.object.metadata)}`;
    case 'patch':
      return action.says.replace('…', () => `${action.object.type.kind} ${nameOf(action.object)}`);
  }
}

const nameOf = ({ namespace, name }: { readonly namespace?: string | undefined; readonly name: string }): string =>
  namespace === undefined ? name : `${namespace}/${name}`;
