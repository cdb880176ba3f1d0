import { controllerOf, csiDriver, label, type PodStatus } from '../../../api/index.ts';
import type { Clock } from '../../../kube/clock.ts';
import type { KubeClient, Selection } from '../../../kube/contract.ts';
import { type KubeObject, type Log, type ObjectMeta, type ResourceType, resourceType } from '../../../kube/types.ts';
import { type Reflector, reflect } from '../../../kube/watch/reflector.ts';
import { Node, Pod } from '../../../planning/kinds.ts';
import { createSharing } from '../../../planning/sharing.ts';
import { isReady } from '../../../planning/unstarted.ts';

export const CSINode = resourceType('storage.k8s.io', 'CSINode', 'csinodes', false);

export interface KeptNode extends KubeObject {
  readonly ready: boolean;
  readonly cordoned: boolean;
}
export interface KeptCsiNode extends KubeObject {
  readonly registered: boolean;
}
export interface KeptPod extends KubeObject {
  readonly node: string;
  readonly ready: boolean;
  /** The workload that it belongs to: `DaemonSet demo-fuse`. */
  readonly owner: string;
}

/** Nodes, and the pods of Sluice's runtimes; nothing is watched before somebody asks. */
export interface NodeWatches {
  /** Begins to watch; resolves when all that may be listed has been. */
  begin(): Promise<void>;
  nodes(): Iterable<KeptNode>;
  node(name: string): KeptNode | undefined;
  csiNode(name: string): KeptCsiNode | undefined;
  pods(): Iterable<KeptPod>;
  stop(): void;
}

export interface NodeWatchesOptions {
  /** Absent: all. */
  readonly namespaces?: readonly string[];
  readonly mayList: (plural: string, namespace: string | undefined) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export function createNodeWatches(client: KubeClient, { namespaces, mayList, clock, log }: NodeWatchesOptions): NodeWatches {
  const { text, piece } = createSharing();
  const follow = <T extends KubeObject>(type: ResourceType, project: (object: KubeObject) => T, selection: Selection = {}) =>
    reflect<T>(client, type, { ...selection, project, onChange: () => {}, clock, log });
  const metaOf = ({ metadata: { name, namespace, uid, resourceVersion } }: KubeObject): ObjectMeta =>
    // The cast: a field that is undefined counts as absent.
    ({ name, namespace: piece(namespace), uid, resourceVersion }) as ObjectMeta;

  function watch() {
    const pods = (namespaces ?? [undefined])
      .filter((namespace) => mayList(Pod.plural, namespace))
      .map((namespace) => follow<KeptPod>(Pod, podOf, { ...(namespace !== undefined && { namespace }), labelSelector: label.datasetId }));
    const nodes = mayList(Node.plural, undefined) ? follow<KeptNode>(Node, nodeOf) : undefined;
    const csiNodes = mayList(CSINode.plural, undefined) ? follow<KeptCsiNode>(CSINode, csiNodeOf) : undefined;
    const all: readonly Reflector<KubeObject>[] = [...pods, nodes, csiNodes].filter((each) => each !== undefined);
    return { pods, nodes, csiNodes, all, ready: Promise.all(all.map(({ answered }) => answered)).then(() => {}) };
  }
  const nodeOf = (object: KubeObject): KeptNode => {
    const { conditions = [] } = (object['status'] ?? {}) as PodStatus;
    const { unschedulable = false } = (object['spec'] ?? {}) as { unschedulable?: boolean };
    const ready = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
    return { apiVersion: text(object.apiVersion), kind: text(object.kind), metadata: metaOf(object), ready, cordoned: unschedulable };
  };
  const csiNodeOf = (object: KubeObject): KeptCsiNode => {
    const { drivers = [] } = (object['spec'] ?? {}) as { drivers?: readonly { readonly name: string }[] };
    const registered = drivers.some(({ name }) => name === csiDriver);
    return { apiVersion: text(object.apiVersion), kind: text(object.kind), metadata: metaOf(object), registered };
  };
  const podOf = (object: KubeObject): KeptPod => {
    const owner = controllerOf(object);
    const { nodeName = '' } = (object['spec'] ?? {}) as { nodeName?: string };
    return {
      apiVersion: text(object.apiVersion),
      kind: text(object.kind),
      metadata: metaOf(object),
      node: text(nodeName),
      ready: isReady((object['status'] ?? {}) as PodStatus),
      owner: owner ? text(`${owner.kind} ${owner.name}`) : '',
    };
  };

  let watched: ReturnType<typeof watch> | undefined;
  return {
    begin: () => (watched ??= watch()).ready,
    nodes: () => watched?.nodes?.values() ?? [],
    node: (name) => watched?.nodes?.get(undefined, name),
    csiNode: (name) => watched?.csiNodes?.get(undefined, name),
    *pods() {
      for (const pods of watched?.pods ?? []) yield* pods.values();
    },
    stop: () => watched?.all.forEach((each) => each.stop()),
  };
}
