import { isDeepStrictEqual } from 'node:util';
import { annotation, label, ownerUid } from '../../../api/index.ts';
import type { KubeObject, ObjectMeta } from '../../../kube/types.ts';
import type { LiveObject } from '../../world.ts';
import { createLedger, type Ownership } from '../../../planning/diff/managed-fields.ts';
import type { Sharing } from '../../../planning/sharing.ts';
import { directoryOf, servedBy } from '../../../planning/volumes.ts';

/**
 * The kept part of an object that the controller created: enough for status, and for seeing that no other writer changed it. For more, the
 * object is read with a GET. This is how thousands of Datasets fit into memory.
 */
export interface ProjectedObject extends LiveObject {
  /** Absent if `managedFields` names no field of ours. */
  readonly ownership: Ownership | undefined;
}

/** Whether the API server is asked for nothing but the metadata of this kind. */
export const metadataOnly = (kind: string): boolean => !(kind in BODIES);

/** threat-model: keeps */
const LABELS = [label.owner, label.datasetId, label.referringName, label.referringNamespace];
/** Annotations whose value no two objects have in common. threat-model: keeps */
const UNIQUE: ReadonlySet<string> = new Set([annotation.manifestHash, annotation.scriptHash, annotation.verifiedFuse]);
/** threat-model: keeps */
const ANNOTATIONS = [
  annotation.createdBy,
  annotation.consent,
  annotation.manifestHash,
  annotation.fuseImage,
  annotation.verifiedFuse,
  annotation.progressFile,
  annotation.paused,
  annotation.retry,
  annotation.observedMounts,
  'deprecated.daemonset.template.generation',
];

interface Body {
  readonly spec: Fields;
  readonly status: Fields;
  readonly template?: Template;
}
type Fields = Readonly<Record<string, unknown>>;

/** The fields of spec and status that are read, by views.ts, ports.ts, observe.ts, leads.ts, lifecycle.ts and apply.ts. */
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
  PersistentVolume: ({ claimRef, csi }, { phase }) => {
    const { namespace, name, uid } = (claimRef ?? {}) as { namespace?: string; name?: string; uid?: string };
    const { volumeAttributes } = (csi ?? {}) as { volumeAttributes?: Readonly<Record<string, string>> };
    const server = servedBy(volumeAttributes ?? {});
    const isOwn = server?.namespace === namespace && server?.name === name;
    return {
      spec: {
        claimRef: { namespace, name, uid },
        directory: directoryOf(volumeAttributes ?? {}),
        ...(server && !isOwn && { servedBy: server }),
      },
      status: { phase },
    };
  },
  PersistentVolumeClaim: ({ volumeName }, { phase }) => ({ spec: { volumeName }, status: { phase } }),
  Job: ({ suspend }, { conditions, active, terminating, failed, succeeded }) => ({
    spec: { suspend },
    status: { conditions, active, terminating, failed, succeeded },
  }),
  CronJob: ({ suspend }, { lastScheduleTime, lastSuccessfulTime }) => ({
    spec: { suspend },
    status: { lastScheduleTime, lastSuccessfulTime },
  }),
};

interface Template {
  readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>;
  readonly spec?: {
    readonly hostNetwork?: boolean;
    readonly containers?: readonly { readonly image?: string; readonly ports?: readonly { name?: string; containerPort: number }[] }[];
  };
}

/** Texts, field ownership, and what all objects of one owner have in common are shared by all objects of one store. threat-model: keeps */
export function createOwnedProjection({ text: shared }: Pick<Sharing, 'text'>): (object: KubeObject) => ProjectedObject {
  const ownershipOf = createLedger();
  const labelsOf = createFamilies<Readonly<Record<string, string>> | undefined>();
  const ownersOf = createFamilies<readonly object[] | undefined>();

  function marks(all: Readonly<Record<string, string>> | undefined, wanted: readonly string[]) {
    const kept = wanted.flatMap((key) => (all?.[key] === undefined ? [] : [[key, UNIQUE.has(key) ? all[key] : shared(all[key])] as const]));
    return kept.length > 0 ? Object.fromEntries(kept) : undefined;
  }
  /** The fuse image and generation of pods, and their host ports. */
  function templateOf({ metadata, spec: { hostNetwork, containers = [] } = {} }: Template): object {
    return {
      metadata: {
        labels: marks(metadata?.labels, [label.fuseGeneration]),
        annotations: marks(metadata?.annotations, [annotation.scriptHash]),
      },
      spec: {
        hostNetwork,
        // The image of the first container, with the ports of all.
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

  // Each object has every field, `undefined` where absent: objects of one shape take the least memory.
  return (object) => {
    const { apiVersion, kind, metadata } = object;
    const { name, namespace, uid = '', resourceVersion = '', generation, creationTimestamp, deletionTimestamp, ownerReferences } = metadata;
    const family = ownerUid(object) ?? '';
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
        finalizers: deletionTimestamp && metadata.finalizers,
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
    } as ProjectedObject;
  };
}

const MOST_FAMILIES = 100_000;
/** Shares a value that nearly all objects of one owner have in common. */
function createFamilies<T>(): (owner: string, value: T) => T {
  const known = new Map<string, T>();
  return (owner, value) => {
    const before = known.get(owner);
    if (isDeepStrictEqual(before, value)) return before as T;
    // Values in use stay; only later ones are no longer shared with them.
    if (known.size >= MOST_FAMILIES) known.clear();
    known.set(owner, value);
    return value;
  };
}
