/** Indexes by which controllers find objects, as those of an informer in client-go. */
import type { KubeObject } from '../../kube/types.ts';
import type { ApiServer } from '../index.ts';
import { createIndex, type ObjectIndex } from './object-index.ts';
import type { PodSpec } from '../../api/index.ts';

export interface Indexes {
  /** Objects of all kinds by the UID of an owner. */
  readonly dependents: ObjectIndex;
  /** Objects of all kinds by their namespace. */
  readonly byNamespace: ObjectIndex;
  /** Pods by their node; those without one by `''`. */
  readonly podsByNode: ObjectIndex;
  /** Pods by `<node> <label>`, for each label by which they select nodes. */
  readonly podsBySelector: ObjectIndex;
  /** Pods by `<namespace>/<name>` of a claim. */
  readonly podsByClaim: ObjectIndex;
  /** DaemonSets by each label of nodes that they select by. */
  readonly daemonSetsByLabel: ObjectIndex;
  /** PersistentVolumes by `<namespace>/<name>` of the claim that they refer to. */
  readonly volumesByClaim: ObjectIndex;
  /** PersistentVolumeClaims by the name of a volume. */
  readonly claimsByVolume: ObjectIndex;
  /** Events of refusals by the UID of their object. */
  readonly refusalsByObject: ObjectIndex;
}

const known = new WeakMap<ApiServer, Indexes>();
/** The same ones each time. */
export function indexesOf(server: ApiServer): Indexes {
  const found = known.get(server) ?? createIndexes(server);
  known.set(server, found);
  return found;
}

function createIndexes(server: ApiServer): Indexes {
  const only = (apiVersion: string, kind: string, keysOf: (object: KubeObject) => readonly string[]) =>
    createIndex(server, (object) => (object.kind === kind && object.apiVersion === apiVersion ? keysOf(object) : []));
  return {
    dependents: createIndex(server, ({ metadata: { ownerReferences = [] } }) => ownerReferences.map(({ uid }) => uid)),
    byNamespace: createIndex(server, ({ metadata: { namespace } }) => (namespace === undefined ? [] : [namespace])),
    podsByNode: only('v1', 'Pod', (pod) => [nodeOf(pod)]),
    podsBySelector: only('v1', 'Pod', (pod) => Object.keys(specOf(pod).nodeSelector ?? {}).map((label) => `${nodeOf(pod)} ${label}`)),
    podsByClaim: only('v1', 'Pod', claimsOf),
    daemonSetsByLabel: only('apps/v1', 'DaemonSet', labelsAskedBy),
    volumesByClaim: only('v1', 'PersistentVolume', (volume) => listed(claimOf(volume))),
    claimsByVolume: only('v1', 'PersistentVolumeClaim', ({ spec }) => listed((spec as { volumeName?: string } | undefined)?.volumeName)),
    refusalsByObject: only('v1', 'Event', ({ reason, involvedObject }) =>
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

/** `<namespace>/<name>` of the claim that a volume refers to. */
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
