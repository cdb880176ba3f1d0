import { isDeepStrictEqual } from 'node:util';
import { annotation, label } from '../../../api/index.ts';
import type { KubeObject, ObjectMeta } from '../../../kube/types.ts';
import type { LiveObject } from '../../world.ts';
import type { Labels } from '../nodes/cache-labels.ts';
import { createLedger, type Ownership } from '../managed-fields.ts';
import type { Sharing } from './sharing.ts';

/**
 * What is kept of an object that we made: enough for status, and for knowing that nobody has changed it. Whoever needs more reads it with
 * a GET. Thousands of datasets fit into memory by this.
 */
export interface Projected extends LiveObject {
  /** Absent: the API server says nothing of fields of ours. */
  readonly ownership: Ownership | undefined;
}

/** Kinds of which nothing but metadata is asked for. */
export const metadataOnly = (kind: string): boolean => !(kind in BODIES);

const LABELS = [label.owner, label.datasetId];
/** Of which no two objects have the same. */
const UNIQUE: ReadonlySet<string> = new Set([annotation.manifestHash, annotation.scriptHash]);
const ANNOTATIONS = [annotation.createdBy, annotation.manifestHash, annotation.fuseImage, 'deprecated.daemonset.template.generation'];

interface Body {
  readonly spec: Fields;
  readonly status: Fields;
  readonly template?: Template;
}
type Fields = Readonly<Record<string, unknown>>;

/** Everything else about the objects of a kind that somebody reads: views.ts, ports.ts, observe.ts, lifecycle.ts, apply.ts. */
const BODIES: Readonly<Record<string, (spec: Fields, status: Fields) => Body>> = {
  StatefulSet: ({ replicas, template }, { replicas: current, readyReplicas, availableReplicas, observedGeneration, updateRevision }) => ({
    spec: { replicas },
    template: (template ?? {}) as Template,
    status: { replicas: current, readyReplicas, availableReplicas, observedGeneration, updateRevision },
  }),
  DaemonSet: ({ template }, { desiredNumberScheduled, currentNumberScheduled, numberReady, numberAvailable, observedGeneration }) => ({
    spec: {},
    template: (template ?? {}) as Template,
    status: { desiredNumberScheduled, currentNumberScheduled, numberReady, numberAvailable, observedGeneration },
  }),
  PersistentVolume: ({ claimRef }, { phase }) => {
    const { namespace, name, uid } = (claimRef ?? {}) as { namespace?: string; name?: string; uid?: string };
    return { spec: { claimRef: { namespace, name, uid } }, status: { phase } };
  },
  PersistentVolumeClaim: ({ volumeName }, { phase }) => ({ spec: { volumeName }, status: { phase } }),
};

interface Template {
  readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>;
  readonly spec?: {
    readonly hostNetwork?: boolean;
    readonly containers?: readonly { readonly image?: string; readonly ports?: readonly { name?: string; containerPort: number }[] }[];
  };
}

/** Texts, accounts, and what all objects of one owner have in common are shared by all objects of one store. */
export function createProjection({ text: shared }: Pick<Sharing, 'text'>): (object: KubeObject) => Projected {
  const ownershipOf = createLedger();
  const labelsOf = createFamilies<Readonly<Record<string, string>> | undefined>();
  const ownersOf = createFamilies<readonly object[] | undefined>();

  function marks(all: Readonly<Record<string, string>> | undefined, wanted: readonly string[]) {
    const kept = wanted.flatMap((key) => (all?.[key] === undefined ? [] : [[key, UNIQUE.has(key) ? all[key] : shared(all[key])] as const]));
    return kept.length > 0 ? Object.fromEntries(kept) : undefined;
  }
  /** What fuse image and generation pods have, and which host ports. */
  function templateOf({ metadata, spec: { hostNetwork, containers = [] } = {} }: Template): object {
    return {
      metadata: {
        labels: marks(metadata?.labels, [label.fuseGeneration]),
        annotations: marks(metadata?.annotations, [annotation.scriptHash]),
      },
      spec: {
        hostNetwork,
        // The image of the first, and what ports the pod has.
        containers: containers.slice(0, 1).map(({ image }) => ({
          image: image && shared(image),
          ports: hostNetwork
            ? containers.flatMap(({ ports = [] }) =>
                ports.map(({ name, containerPort }) => ({ name: name && shared(name), containerPort })),
              )
            : undefined,
        })),
      },
    };
  }

  // Every field each time: objects of one form take the least memory, with `undefined` as good as absent.
  return (object) => {
    const { apiVersion, kind, metadata } = object;
    const { name, namespace, uid = '', resourceVersion = '', generation, creationTimestamp, deletionTimestamp, ownerReferences } = metadata;
    const family = metadata.labels?.[label.owner] ?? '';
    const { spec, status, template } = BODIES[kind]?.((object['spec'] ?? {}) as Fields, (object['status'] ?? {}) as Fields) ?? {};
    return {
      apiVersion,
      kind,
      metadata: {
        name,
        namespace: namespace && shared(namespace),
        uid,
        resourceVersion,
        generation,
        creationTimestamp: creationTimestamp && shared(creationTimestamp),
        deletionTimestamp,
        labels: labelsOf(family, marks(metadata.labels, LABELS)),
        annotations: marks(metadata.annotations, ANNOTATIONS),
        ownerReferences: ownersOf(
          family,
          ownerReferences?.map((owner) => ({
            apiVersion: shared(owner.apiVersion),
            kind: shared(owner.kind),
            name: shared(owner.name),
            uid: shared(owner.uid),
            controller: owner.controller,
          })),
        ),
      },
      spec: template ? { ...spec, template: templateOf(template) } : spec,
      status,
      ownership: ownershipOf(object),
    } as Projected;
  };
}

const MOST_FAMILIES = 100_000;
/** What nearly all objects of one owner have alike. */
function createFamilies<T>(): (owner: string, value: T) => T {
  const known = new Map<string, T>();
  return (owner, value) => {
    const before = known.get(owner);
    if (isDeepStrictEqual(before, value)) return before as T;
    // What is in use stays so; only sharing begins anew.
    if (known.size >= MOST_FAMILIES) known.clear();
    known.set(owner, value);
    return value;
  };
}

const POD_LABELS = ['pod-template-generation', 'controller-revision-hash'];

/** Of a pod: who owns it, of which template it is, where it runs, whether it is ready, how often its containers were started again. */
export function podProjection({ apiVersion, kind, metadata, spec, status }: KubeObject, { text, piece }: Sharing): KubeObject {
  const { name, namespace, uid, resourceVersion, labels, annotations, ownerReferences, deletionTimestamp } = metadata;
  const { conditions, phase, podIP } = (status ?? {}) as {
    conditions?: readonly { type: string; status: string }[];
    phase?: string;
    podIP?: string;
  };
  const { containerStatuses = [] } = (status ?? {}) as { containerStatuses?: readonly { restartCount: number }[] };
  const { nodeName, containers = [] } = (spec ?? {}) as { nodeName?: string; containers?: readonly { name: string }[] };
  const owner = ownerReferences?.find(({ controller }) => controller);
  const told = annotations?.[annotation.fuseConfigUpdate];
  const kept = {
    apiVersion: text(apiVersion),
    kind: text(kind),
    metadata: {
      name,
      namespace: piece(namespace),
      uid,
      resourceVersion,
      labels: piece(Object.fromEntries(POD_LABELS.flatMap((key) => (labels?.[key] === undefined ? [] : [[key, labels[key]]])))),
      annotations: told === undefined ? undefined : { [annotation.fuseConfigUpdate]: told },
      ownerReferences: owner && [
        { apiVersion: text(owner.apiVersion), kind: text(owner.kind), name: owner.name, uid: text(owner.uid), controller: true },
      ],
      deletionTimestamp,
    },
    nodeName: piece(nodeName),
    ip: podIP,
    phase: piece(phase),
    container: piece(containers[0]?.name),
    restarts: containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
    ready: conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
  };
  // The cast: fields that are undefined are as good as absent.
  return kept as unknown as KubeObject;
}

/** Of a node: our labels, and those that an exclude selector may name. Kubelets renew annotations, which would be news for nobody. */
export function nodeProjection(
  { apiVersion, kind, metadata: { name, uid, resourceVersion, labels } }: KubeObject,
  before?: KubeObject,
): KubeObject {
  const known = before?.metadata.labels;
  const kept = known && labels && isAlike(known, labels) ? known : labels;
  return {
    apiVersion,
    kind,
    metadata: { name, ...(uid && { uid }), ...(resourceVersion && { resourceVersion }), ...(kept && { labels: kept }) },
  };
}

/** A node has a hundred labels, and tells every ten seconds that it is alive. */
function isAlike(a: Labels, b: Labels): boolean {
  let left = 0;
  for (const key in a) {
    if (a[key] !== b[key]) return false;
    left++;
  }
  for (const _ in b) left--;
  return left === 0;
}
