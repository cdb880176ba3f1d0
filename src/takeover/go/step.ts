/**
 * The shape of a take-over, of the way back and of the end (docs/adr/0041-an-order-is-a-list-of-steps.md): a pass reads the cluster, and
 * the first step of a list that is not done decides. So a run that was interrupted begins again where the cluster is.
 */
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import type { HelmRecord } from '../fluid/helm.ts';
import type { PartName } from './parts.ts';
import type { TakeoverRecord } from './record.ts';

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
  /** Applies the manifests of a part. */
  | { readonly do: 'apply'; readonly part: PartName }
  | { readonly do: 'record'; readonly record: TakeoverRecord }
  | { readonly do: 'scale'; readonly deployment: string; readonly replicas: number }
  /** Makes this the holder of a Lease; empty: it becomes free. */
  | { readonly do: 'hold'; readonly lease: KubeObject; readonly holder: string }
  | { readonly do: 'delete'; readonly object: Seen; readonly leavesPods?: true }
  /** Creates an object, or replaces the one of that name. */
  | { readonly do: 'restore'; readonly type: ResourceType; readonly object: KubeObject }
  | {
      readonly do: 'patch';
      readonly object: Omit<Seen, 'uid'>;
      readonly subresource?: 'status';
      readonly patch: object;
      readonly says: string;
    }
  /** Hides a record of a release from helm, or shows it again. */
  | { readonly do: 'label'; readonly record: HelmRecord; readonly namespace: string; readonly owner: string };

/** The request of one step. */
export interface Contribution {
  /** In this order; then the cluster is read again. */
  readonly actions?: readonly Action[];
  /** The step waits until this holds, for at most `withinMs` while these words are the same. */
  readonly waitsFor?: string;
  /** Why it does not hold yet: `ErrImagePull`. */
  readonly because?: string;
  readonly withinMs?: number;
  /** Only an operator can go on: one line each. */
  readonly refusal?: readonly string[];
}

/** A step of a list over the world `W`. */
export interface Step<W> {
  /** A sentence that is true once the step is done. */
  readonly title: string;
  /** A sentence about the work of the step, for `--dry-run`. */
  readonly does: string;
  /** undefined: it is done. Depends on the world alone. */
  readonly of: (world: W) => Contribution | undefined;
  /** Why it may have been undone after it was done. */
  readonly undoneBy?: (world: W) => readonly string[];
}

/** helm's label `owner` of a record that helm must not find. */
export const HIDDEN = 'sluice-takeover';

/** An action in the words of a report. */
export function inWords(action: Action, namespace: string): string {
  switch (action.do) {
    case 'apply':
      return `apply the manifests of ${PART_WORDS[action.part]}`;
    case 'record':
      return `write the record, ConfigMap ${namespace}/sluice-takeover`;
    case 'scale':
      return `scale Deployment ${namespace}/${action.deployment} to ${action.replicas}`;
    case 'hold':
      return `${action.holder === '' ? 'release' : 'hold'} Lease ${nameOf(action.lease.metadata)}`;
    case 'delete':
      return `delete ${action.object.type.kind} ${nameOf(action.object)}${action.leavesPods ? ', and leave its pods' : ''}`;
    case 'restore':
      return `restore ${action.object.kind} ${nameOf(action.object.metadata)}`;
    case 'patch':
      return `${action.says} of ${action.object.type.kind} ${nameOf(action.object)}`;
    case 'label':
      return `${action.owner === HIDDEN ? 'hide' : 'show'} ${action.record.kind} ${action.namespace}/${action.record.name} ${action.owner === HIDDEN ? 'from' : 'to'} helm`;
  }
}

const PART_WORDS: Readonly<Record<PartName, string>> = {
  crds: 'the custom resources',
  nodePlugin: "Sluice's node plugin",
  controller: "Sluice's controller",
  driver: 'the CSIDriver',
  webhook: "Sluice's webhook",
  entry: "the webhook's Service and configuration",
  rest: 'the rest',
};

const nameOf = ({ namespace, name }: { readonly namespace?: string | undefined; readonly name: string }): string =>
  namespace === undefined ? name : `${namespace}/${name}`;
