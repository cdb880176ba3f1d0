import type { NodeSelectorRequirement, PodSpec } from '../../../api/index.ts';
import { type JsonObject, isRecord, list, record } from '../../shapes.ts';
import { type Pod, withSpec } from '../../pod.ts';

/** One condition on the labels of a node. */
export type Expression = NodeSelectorRequirement;

/** The node affinity of a pod as its user wrote it. */
export interface WrittenAffinity {
  /** Terms of which one must hold. Empty: any node will do. */
  readonly terms: readonly JsonObject[];
  readonly preferred: readonly unknown[];
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Undefined: its shape is not Kubernetes', and the API server will say so. */
export function nodeAffinityOf({ spec }: Pod): WrittenAffinity | undefined {
  const node = fieldsIn(fields(spec.affinity), 'nodeAffinity');
  const required = fieldsIn(node, REQUIRED);
  const terms = itemsIn(required, 'nodeSelectorTerms')?.map(fields);
  const preferred = itemsIn(node, PREFERRED);
  const isShaped = (term: JsonObject | undefined): term is JsonObject => itemsIn(term, 'matchExpressions') !== undefined;
  return terms?.every(isShaped) && preferred ? { terms, preferred } : undefined;
}

/** The pod with other terms or preferences; the rest of its affinity stays. */
export function withNodeAffinity(pod: Pod, { terms, preferred }: Partial<WrittenAffinity>): Pod {
  const affinity = record(pod.spec.affinity);
  const node = record(affinity['nodeAffinity']);
  const nodeAffinity = {
    ...node,
    ...(terms && { [REQUIRED]: { ...record(node[REQUIRED]), nodeSelectorTerms: terms } }),
    ...(preferred && { [PREFERRED]: preferred }),
  };
  // The cast: what was of Kubernetes' shape still is.
  return withSpec(pod, { affinity: { ...affinity, nodeAffinity } as PodSpec['affinity'] & object });
}

export const expressionsOf = (term: JsonObject): readonly unknown[] => list(term['matchExpressions']);

/** Conditions of a pod on these labels of nodes: of its terms, its preferences and its nodeSelector. */
export function conditionsOn(pod: Pod, keys: ReadonlySet<string>): readonly unknown[] {
  const { terms, preferred } = nodeAffinityOf(pod) ?? { terms: [], preferred: [] };
  const preferences = preferred.map((each) => record(record(each)['preference']));
  const selected = Object.entries(record(pod.spec.nodeSelector)).map(([key, value]) => ({ key, value }));
  return [...[...terms, ...preferences].flatMap(expressionsOf), ...selected].filter((each) => keys.has(record(each)['key'] as string));
}

/** `null` counts as absent, as for the API server. Undefined: neither an object nor absent. */
function fields(value: unknown): JsonObject | undefined {
  if (value === undefined || value === null) return {};
  return isRecord(value) ? value : undefined;
}
const fieldsIn = (parent: JsonObject | undefined, name: string): JsonObject | undefined => parent && fields(parent[name]);
function itemsIn(parent: JsonObject | undefined, name: string): readonly unknown[] | undefined {
  const value = parent && (parent[name] ?? []);
  return Array.isArray(value) ? value : undefined;
}
