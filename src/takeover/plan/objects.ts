/** The fate of one object of a runtime or an operation in a take-over, from the change that `sluice diff` computes. Pure. */
import type { Manifest } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { Change } from '../../planning/diff/change.ts';
import { isPlacedAlike, nodesLeft, type PlacementNode } from '../../planning/diff/fuse-placement.ts';
import type { LiveObject } from '../../planning/objects.ts';
import { some } from '../../planning/some.ts';

/** In the order of a summary. */
export const FATES = ['adopted', 'changed', 'created', 'deleted', 'kept', 'refused', 'unknown'] as const;
export type Fate = (typeof FATES)[number];

export interface ObjectPlan {
  /** `StatefulSet ml/demo-worker`. */
  readonly object: string;
  /** `adopted`: only labels, annotations and owners change. `kept`: nothing does. */
  readonly fate: Fate;
  /** Parts that change: `template`, `data`; of an object that is adopted as it is, `labels`, `annotations`, `owners`. */
  readonly fields: readonly string[];
  /** Consequences, a sentence without a stop each. */
  readonly notes: readonly string[];
  /** Pods that restart or end, and mounts that are lost. A take-over does none of this. */
  readonly harm: readonly string[];
}

const METADATA = new Set(['labels', 'annotations', 'owners']);

/** @param nodes all nodes that the reader may see, to tell which ones fuse pods leave */
export function planOf(change: Change, nodes: readonly PlacementNode[] = []): ObjectPlan {
  const { object, action, before, after, problem, note, immutable, stale } = change;
  const parts = action === 'change' ? changedParts(before, after) : [];
  const further = parts.filter((part) => !METADATA.has(part));
  const fate = action !== 'change' ? FATE[action] : further.length === 0 ? 'adopted' : 'changed';
  return {
    object,
    fate,
    fields: fate === 'changed' ? further : parts,
    notes: [
      ...(problem === undefined ? [] : [problem]),
      ...(note === undefined ? [] : [note]),
      ...(immutable.length > 0 ? [some(immutable)] : []),
      ...(stale.length > 0 ? [`${count(stale.length, 'pod keeps', 'pods keep')} the template of Fluid until deleted`] : []),
      ...portNotes(before, after),
      ...leavingNotes(before, after, nodes),
    ],
    harm: harmOf(change),
  };
}

const FATE = { add: 'created', prune: 'deleted', refuse: 'refused', none: 'kept', unknown: 'unknown' } as const;

const count = (number: number, one: string, more: string): string => `${number} ${number === 1 ? one : more}`;

/** The parts that differ, as an operator calls them. */
function changedParts(before: KubeObject | undefined, after: KubeObject | undefined): readonly string[] {
  const [old, young] = [partsOf(before), partsOf(after)];
  return [...new Set([...old.keys(), ...young.keys()])].filter((part) => old.get(part) !== young.get(part));
}

/** threat-model: keeps */
function partsOf(object: KubeObject | undefined): ReadonlyMap<string, string> {
  if (!object) return new Map();
  const { apiVersion: _a, kind: _k, metadata, status: _s, spec, ...rest } = object;
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  const parts = { labels, annotations, owners: ownerReferences, finalizers, ...(spec as object | undefined), ...rest };
  return new Map(Object.entries(parts).flatMap(([part, value]) => (value === undefined ? [] : [[part, JSON.stringify(sorted(value))]])));
}

/** With keys in one order, whoever has written them. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, each]) => [key, sorted(each)]),
        )
      : value;

function harmOf({ object, action, before, after, restarting }: Change): readonly string[] {
  const lost = portsOf(before).filter((port) => after !== undefined && !portsOf(after).includes(port));
  return [
    ...(restarting.length > 0 ? [`would restart: ${some(restarting)}`] : []),
    ...(action === 'prune' ? lossOf(object) : []),
    ...endingPods(before, after),
    ...(lost.length > 0 ? [`host ports would change: ${lost.join(', ')}`] : []),
  ];
}

function lossOf(object: string): readonly string[] {
  const [kind = ''] = object.split(' ');
  if (['PersistentVolume', 'PersistentVolumeClaim'].includes(kind)) return ['pods that mount it would lose their data'];
  return ['StatefulSet', 'DaemonSet'].includes(kind) ? ['its pods would end'] : [];
}

/** Pods of a StatefulSet that gets fewer. */
function endingPods(before: KubeObject | undefined, after: KubeObject | undefined): readonly string[] {
  const [old, young] = [before, after].map((object) => (object?.['spec'] as { readonly replicas?: number } | undefined)?.replicas);
  if (before?.kind !== 'StatefulSet' || old === undefined || young === undefined || young >= old) return [];
  return [`would end: ${some(Array.from({ length: old - young }, (_, i) => `${before.metadata.name}-${young + i}`))}`];
}

function portNotes(before: KubeObject | undefined, after: KubeObject | undefined): readonly string[] {
  const kept = portsOf(before).filter((port) => portsOf(after).includes(port));
  return kept.length > 0 ? [`host ports stay: ${some(kept.map(String))}`] : [];
}

/** Host ports of a template; with the network of the host, each port of a container is one. */
function portsOf(object: KubeObject | undefined): readonly number[] {
  const { template } = (object?.['spec'] ?? {}) as { readonly template?: { readonly spec?: PodNetwork } };
  const { hostNetwork, containers = [] } = template?.spec ?? {};
  const ports = containers.flatMap((container) => container.ports ?? []);
  return ports.flatMap(({ hostPort, containerPort }) => (hostNetwork ? (hostPort ?? containerPort ?? []) : (hostPort ?? [])));
}
interface PodNetwork {
  readonly hostNetwork?: boolean;
  readonly containers?: readonly { readonly ports?: readonly { readonly hostPort?: number; readonly containerPort?: number }[] }[];
}

/** The controller keeps a node while a pod on it reads: see src/planning/diff/fuse-placement.ts. */
function leavingNotes(before: KubeObject | undefined, after: KubeObject | undefined, nodes: readonly PlacementNode[]): readonly string[] {
  if (before?.kind !== 'DaemonSet' || after === undefined) return [];
  // The casts: both are a DaemonSet as the API server stores it.
  const [live, desired] = [before as LiveObject, after as unknown as Manifest];
  if (isPlacedAlike(desired, live)) return [];
  const left = nodesLeft(desired, live, nodes);
  return left.length > 0 ? [`its pod leaves ${some(left)} once no pod there reads the Dataset`] : [];
}
