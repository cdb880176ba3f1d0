/**
 * The objects of the scripted API server: copies of datasets, nodes, and fuse pods that come and go. Rendered on request: whole they would
 * be gigabytes.
 */
import type { KubeObject } from '../../src/kube/types.ts';
import { type Copies, copiesOf, copyOf, type FuseState } from './copies.ts';
import type { Samples } from './sample.ts';

export interface Size {
  readonly datasets: number;
  readonly nodes: number;
  /** Fuse pods of a node. */
  readonly podsPerNode: number;
}
export interface Event {
  readonly plural: string;
  readonly text: string;
}
export interface LiveWorld {
  /** Sum over all versions so far. */
  readonly version: number;
  /** A page of a collection, from an index on; undefined for a kind that there is not. */
  page(
    plural: string,
    from: number,
    limit: number,
    isPartial: boolean,
  ): { readonly items: readonly string[]; readonly next: number | undefined };
  heartbeat(node: number): Event;
  /** One step in the life of a fuse pod: it goes, and another comes. */
  step(slot: number): Event;
  readonly slots: number;
  /** A change of a runtime that changes nothing: a label, which may concern the controller, or a field that it does not read. */
  touch(i: number, what: 'label' | 'unread'): Event;
  inSample(namespace: string, pod: string): { readonly namespace: string; readonly pod: string };
}

const CYCLE = ['terminating', 'deleted', 'pending', 'scheduled', 'ready'] as const;
const nodeName = (i: number): string => `node-${String(i).padStart(4, '0')}`;
/** Objects of a list are older than anything that happens later. */
const FIRST = 1_000;

export function liveWorld(samples: Samples, { datasets, nodes, podsPerNode }: Size): LiveWorld {
  const [pod] = samples.kinds.flatMap(({ objects }) => objects['pods'] ?? []);
  const kinds: readonly Copies[] = samples.kinds.map((sample) => copiesOf(sample, pod!));
  const plurals = new Set(kinds.flatMap((copies) => copies.plurals));
  const copiesAt = (i: number): Copies => kinds[i % kinds.length]!;
  const slots = nodes * podsPerNode;
  const at = Array.from({ length: slots }, () => ({ step: CYCLE.length - 1, serial: 0, version: FIRST }));
  let version = FIRST + 1;
  let serials = slots;
  at.forEach((slot, i) => (slot.serial = i));
  const nodeTexts = Array.from({ length: nodes }, (_, i) => nodeText(i));
  const nodeVersions = Array.from({ length: nodes }, () => FIRST);

  const datasetOf = (slot: number): number => slot % datasets;

  /** With the labels that its workers and fuse pods have left on it, so that there is nothing to write. */
  function nodeText(i: number): readonly string[] {
    const { metadata } = samples.node;
    const foreign = Object.entries(metadata.labels ?? {}).filter(([key]) => !key.startsWith('fluid'));
    const here = Array.from({ length: Math.ceil((datasets - i) / nodes) }, (_, k) => copiesAt(i + k * nodes).nodeLabels(i + k * nodes));
    const cached = here.filter((each) => Object.keys(each).length > 0);
    const labels: Record<string, string> = { ...Object.fromEntries(foreign), 'kubernetes.io/hostname': nodeName(i) };
    for (const each of cached) Object.assign(labels, each);
    if (cached.length > 0) labels['fluid.io/dataset-num'] = String(cached.length);
    const node: KubeObject = {
      ...samples.node,
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        ...metadata,
        name: nodeName(i),
        uid: `00000000-0000-4000-9000-${String(i).padStart(12, '0')}`,
        resourceVersion: '@',
        labels,
      },
    };
    return JSON.stringify({ apiVersion: node.apiVersion, kind: node.kind, metadata: node.metadata }).split('"@"');
  }
  const nodeNow = (i: number): string => nodeTexts[i]!.join(`"${nodeVersions[i]}"`);
  function podNow(slot: number): string | undefined {
    const { step, serial, version: of } = at[slot]!;
    const state = CYCLE[step]!;
    return state === 'deleted'
      ? undefined
      : copiesAt(datasetOf(slot)).fusePod(datasetOf(slot), nodeName(Math.floor(slot / podsPerNode)), serial, state, of);
  }

  /** Items of each index: copies, then, of pods, the fuse pods. */
  function itemsAt(plural: string, index: number, isPartial: boolean): readonly string[] {
    if (plural === 'nodes') return [nodeNow(index)];
    const companion = samples.companions[plural];
    if (companion) return [JSON.stringify(companion)];
    if (index < datasets)
      return copiesAt(index)
        .objects(plural, index, FIRST, isPartial)
        .map((text) => (plural === 'pods' ? onNode(text, index) : text));
    return [podNow(index - datasets) ?? []].flat();
  }
  const onNode = (text: string, i: number): string => text.replace(/"nodeName":"[^"]*"/, `"nodeName":"${nodeName(i % nodes)}"`);
  function lengthOf(plural: string): number {
    if (plural === 'nodes') return nodes;
    if (samples.companions[plural]) return 1;
    if (plural === 'pods') return datasets + slots;
    return plurals.has(plural) ? datasets : 0;
  }

  return {
    get version() {
      return version;
    },
    slots,
    page(plural, from, limit, isPartial) {
      const items: string[] = [];
      const length = lengthOf(plural);
      let index = from;
      while (index < length && items.length < limit) items.push(...itemsAt(plural, index++, isPartial));
      return { items, next: index < length ? index : undefined };
    },
    heartbeat(i) {
      nodeVersions[i] = ++version;
      return { plural: 'nodes', text: event('MODIFIED', nodeNow(i)) };
    },
    step(slot) {
      const pod = at[slot]!;
      const before = podNow(slot);
      pod.step = (pod.step + 1) % CYCLE.length;
      pod.version = ++version;
      const state: FuseState | 'deleted' = CYCLE[pod.step]!;
      if (state === 'deleted') return { plural: 'pods', text: event('DELETED', before!) };
      if (state === 'pending') pod.serial = serials++;
      return { plural: 'pods', text: event(state === 'pending' ? 'ADDED' : 'MODIFIED', podNow(slot)!) };
    },
    inSample: (namespace, pod) => copiesAt(copyOf(namespace, pod)).inSample(pod),
    touch(i, what) {
      const { plural, objects } = copiesAt(i);
      const [text = ''] = objects(plural, i, ++version);
      const [where, field] = what === 'label' ? ['"labels":{', 'touched'] : ['"metadata":{', 'selfLink'];
      return { plural, text: event('MODIFIED', text.replace(where, `${where}"${field}":"${version}",`)) };
    },
  };
}

const event = (type: string, object: string): string => `{"type":"${type}","object":${object}}\n`;
