/**
 * The nodes where fuse pods may be while their placement changes. A DaemonSet's controller deletes pods at once from nodes that its
 * template no longer selects, with every update strategy, and a pod that reads there loses its file system. So a node stays selected until
 * no pod on it mounts the dataset. Pure.
 */
import type { Manifest, NodeSelectorRequirement, NodeSelectorTerm, PodSpec, Toleration } from '../../api/index.ts';
import { equal } from './merge-patch.ts';
import type { LiveObject } from '../objects.ts';

type Labels = Readonly<Record<string, string>>;
type Fields = Readonly<Record<string, unknown>>;

export interface PlacementNode {
  readonly name: string;
  readonly labels: Labels;
}
interface Placement {
  readonly nodeSelector: Labels;
  readonly terms?: readonly NodeSelectorTerm[] | undefined;
  readonly tolerations: readonly Toleration[];
}

/** Whether the placement is the same. */
export const isPlacedAlike = (desired: Manifest, live: LiveObject): boolean => equal(placementOf(desired), placementOf(live));

/**
 * The given nodes on which fuse pods may be now and may not be with `desired`. When it tolerates less these are all, since taints are not
 * watched.
 */
export function nodesLeft(desired: Manifest, live: LiveObject, nodes: readonly PlacementNode[]): readonly string[] {
  const [wanted, existing] = [placementOf(desired), placementOf(live)];
  const toleratesLess = existing.tolerations.some((toleration) => !isTolerated(toleration, wanted.tolerations));
  return nodes.filter((node) => selects(existing, node) && (toleratesLess || !selects(wanted, node))).map(({ name }) => name);
}

/**
 * The manifest that selects these nodes too. A node selector always narrows, so its labels become part of each affinity term, except those
 * that all kept nodes have. Each kept node gets a term of its own, since the API allows one name in a term.
 */
export function keeping(desired: Manifest, live: LiveObject, kept: readonly PlacementNode[]): Manifest {
  if (kept.length === 0) return desired;
  const [wanted, existing] = [placementOf(desired), placementOf(live)];
  const isCommon = ([key, value]: [string, string]) => kept.every(({ labels }) => labels[key] === value);
  const selector = Object.entries(wanted.nodeSelector);
  const asked = selector.filter((entry) => !isCommon(entry)).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  const isNarrow = asked.length > 0 || wanted.terms !== undefined;
  // An empty term selects no node, but would select some with the labels in it.
  const terms = (wanted.terms?.filter(asksForSomething) ?? [{}]).map((term: NodeSelectorTerm) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), ...asked],
  }));
  const names = kept.map(({ name }) => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }));
  const spec = podSpecOf(desired);
  const { affinity } = spec as { affinity?: { nodeAffinity?: Fields } };
  return withPodSpec(desired, {
    ...spec,
    nodeSelector: Object.fromEntries(selector.filter(isCommon)),
    ...(isNarrow && {
      affinity: {
        ...affinity,
        nodeAffinity: {
          ...affinity?.nodeAffinity,
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [...terms, ...names] },
        },
      },
    }),
    tolerations: [...wanted.tolerations, ...existing.tolerations.filter((toleration) => !isTolerated(toleration, wanted.tolerations))],
  });
}

/** Whether node selector and required affinity let a pod be on a node, as the DaemonSet's controller decides it. */
function selects({ nodeSelector, terms }: Pick<Placement, 'nodeSelector' | 'terms'>, { name, labels }: PlacementNode): boolean {
  return (
    Object.entries(nodeSelector).every(([key, value]) => labels[key] === value) &&
    (terms === undefined || terms.some((term) => matches(term, name, labels)))
  );
}

const asksForSomething = ({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean =>
  matchExpressions.length + matchFields.length > 0;

function matches(term: NodeSelectorTerm, name: string, labels: Labels): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  return (
    asksForSomething(term) &&
    matchExpressions.every((requirement) => holds(requirement, labels[requirement.key])) &&
    matchFields.every((requirement) => requirement.key === 'metadata.name' && holds(requirement, name))
  );
}

function holds({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

/** Whether every taint that the one tolerates is tolerated by another one; no more is known than what they say. */
function isTolerated(toleration: Toleration, others: readonly Toleration[]): boolean {
  return others.some(
    ({ key, operator = 'Equal', value, effect, tolerationSeconds }) =>
      (effect === undefined || effect === toleration.effect) &&
      (tolerationSeconds === undefined || tolerationSeconds === toleration.tolerationSeconds) &&
      ((key ?? '') === '' || key === toleration.key) &&
      (operator === 'Exists' || (operator === (toleration.operator ?? 'Equal') && (value ?? '') === (toleration.value ?? ''))),
  );
}

function placementOf(daemonSet: Manifest | LiveObject): Placement {
  const { nodeSelector = {}, affinity, tolerations = [] } = podSpecOf(daemonSet) as Partial<PodSpec>;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return { nodeSelector, terms, tolerations };
}

const podSpecOf = (daemonSet: Manifest | LiveObject): Fields =>
  (daemonSet['spec'] as { readonly template?: { readonly spec?: Fields } } | undefined)?.template?.spec ?? {};

function withPodSpec(daemonSet: Manifest, podSpec: Fields): Manifest {
  const spec = daemonSet['spec'] as Fields;
  const template = spec['template'] as Fields;
  return { ...daemonSet, spec: { ...spec, template: { ...template, spec: podSpec } } };
}
