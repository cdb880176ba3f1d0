/** What controllers look for among all objects. */
import type { KubeObject, ObjectName, OwnerReference, ResourceType } from '../../kube/types.ts';
import type { ApiServer } from '../index.ts';
import { createLookup, type Lookup } from './lookup.ts';
import type { PodSpec } from './scheduling.ts';

export interface Lookups {
  /** By the UID of an owner. */
  readonly owned: Lookup;
  /** By their namespace. */
  readonly within: Lookup;
  /** Pods by their node; those without one by `''`. */
  readonly podsOn: Lookup;
  /** Pods by `<node> <label>`, for each label by which they select nodes. */
  readonly podsFor: Lookup;
  /** Pods by `<namespace>/<name>` of a claim. */
  readonly podsWith: Lookup;
  /** DaemonSets by the labels of nodes that they ask about. */
  readonly setsFor: Lookup;
  /** PersistentVolumes by `<namespace>/<name>` of the claim that they refer to. */
  readonly volumesFor: Lookup;
  /** PersistentVolumeClaims by the name of a volume. */
  readonly claimsOn: Lookup;
  /** Events of refusals by the UID of their object. */
  readonly refusals: Lookup;
}

const known = new WeakMap<ApiServer, Lookups>();
/** The same ones each time. */
export function lookupsOf(server: ApiServer): Lookups {
  const found = known.get(server) ?? createLookups(server);
  known.set(server, found);
  return found;
}

function createLookups(server: ApiServer): Lookups {
  const only = (apiVersion: string, kind: string, keysOf: (object: KubeObject) => readonly string[]) =>
    createLookup(server, (object) => (object.kind === kind && object.apiVersion === apiVersion ? keysOf(object) : []));
  return {
    owned: createLookup(server, ({ metadata: { ownerReferences = [] } }) => ownerReferences.map(({ uid }) => uid)),
    within: createLookup(server, ({ metadata: { namespace } }) => (namespace === undefined ? [] : [namespace])),
    podsOn: only('v1', 'Pod', (pod) => [nodeOf(pod)]),
    podsFor: only('v1', 'Pod', (pod) => Object.keys(specOf(pod).nodeSelector ?? {}).map((label) => `${nodeOf(pod)} ${label}`)),
    podsWith: only('v1', 'Pod', claimsOf),
    setsFor: only('apps/v1', 'DaemonSet', labelsAskedBy),
    volumesFor: only('v1', 'PersistentVolume', (volume) => listed(claimOf(volume))),
    claimsOn: only('v1', 'PersistentVolumeClaim', ({ spec }) => listed((spec as { volumeName?: string } | undefined)?.volumeName)),
    refusals: only('v1', 'Event', ({ reason, involvedObject }) =>
      reason === 'FailedCreate' ? [(involvedObject as { uid?: string }).uid ?? ''] : [],
    ),
  };
}

const listed = (key: string | undefined): readonly string[] => (key === undefined ? [] : [key]);
const specOf = (pod: KubeObject): PodSpec => (pod['spec'] ?? {}) as PodSpec;
const nodeOf = (pod: KubeObject): string => specOf(pod).nodeName ?? '';

/** `<namespace>/<name>` of each claim that a pod mounts. */
export const claimsOf = (pod: KubeObject): readonly string[] =>
  (specOf(pod).volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => (claim ? `${pod.metadata.namespace}/${claim.claimName}` : []));

/** Of the claim that a volume refers to. */
export function claimOf({ spec }: KubeObject): string | undefined {
  const { claimRef } = (spec ?? {}) as { claimRef?: { namespace?: string; name: string } };
  return claimRef && `${claimRef.namespace}/${claimRef.name}`;
}

function labelsAskedBy({ spec }: KubeObject): readonly string[] {
  const { nodeSelector = {}, affinity } = (spec as { template: { spec: PodSpec } }).template.spec;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const asked = terms.flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key));
  return [...new Set([...Object.keys(nodeSelector), ...asked])];
}

/** An object as it is now; undefined also for a kind that is not served any more. */
export function current(server: ApiServer, kind: string, apiVersion: string, { namespace, name }: ObjectName): KubeObject | undefined {
  return servedAs(server, kind, apiVersion) && server.get(kind, namespace, name, apiVersion);
}

/** The owner that an object names, if it exists. */
export function ownerBy(
  server: ApiServer,
  { metadata }: KubeObject,
  { apiVersion, kind, name, uid }: OwnerReference,
): KubeObject | undefined {
  const found = current(server, kind, apiVersion, { namespace: metadata.namespace, name });
  return found?.metadata.uid === uid ? found : undefined;
}

/** An object of the cluster cannot have an owner in a namespace; Kubernetes leaves one that names such an owner alone. */
export const isOutOfReach = (server: ApiServer, { metadata }: KubeObject, { kind, apiVersion }: OwnerReference): boolean =>
  metadata.namespace === undefined && servedAs(server, kind, apiVersion)?.namespaced === true;

function servedAs(server: ApiServer, kind: string, apiVersion: string): ResourceType | undefined {
  try {
    return server.typeOf(kind, apiVersion);
  } catch {
    return undefined;
  }
}
