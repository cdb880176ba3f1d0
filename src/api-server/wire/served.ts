import type { ResourceType } from '../../kube/types.ts';
import { definitionSpec, type ScalePaths } from '../definition.ts';
import { builtInKinds, hasStatus } from '../kinds.ts';
import { SCALE_KIND, WORKLOAD_SCALE } from './scale.ts';

/** What a server serves of one resource, as discovery lists it. */
export interface Served {
  readonly type: ResourceType;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly ServedSubresource[];
  /** Where the subresource `scale` finds its numbers, if there is one. */
  readonly scale?: ScalePaths;
}

/** A path below an object. */
export interface ServedSubresource {
  readonly name: string;
  /** Of what it answers with, where that is not the object. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
}

/** What the server in memory does with a collection and its objects. */
const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'] as const;
const STATUS: ServedSubresource = { name: 'status', verbs: ['get', 'patch', 'update'] };
const SCALE: ServedSubresource = { name: 'scale', kind: SCALE_KIND, verbs: ['get', 'patch', 'update'] };
/** Workloads that a number scales. */
const SCALED = new Set(['Deployment', 'ReplicaSet', 'StatefulSet']);

/** Short names and categories of Kubernetes' own kinds; rule: `kubectl api-resources`. A kind that is not here has neither. */
const NAMES: Readonly<Record<string, readonly [shortNames: readonly string[], categories?: readonly string[]]>> = {
  ConfigMap: [['cm']],
  CronJob: [['cj'], ['all']],
  CustomResourceDefinition: [['crd', 'crds'], ['api-extensions']],
  DaemonSet: [['ds'], ['all']],
  Deployment: [['deploy'], ['all']],
  Event: [['ev']],
  HorizontalPodAutoscaler: [['hpa'], ['all']],
  Job: [[], ['all']],
  MutatingWebhookConfiguration: [[], ['api-extensions']],
  Namespace: [['ns']],
  NetworkPolicy: [['netpol']],
  Node: [['no']],
  PersistentVolume: [['pv']],
  PersistentVolumeClaim: [['pvc']],
  Pod: [['po'], ['all']],
  PodDisruptionBudget: [['pdb']],
  PriorityClass: [['pc']],
  ReplicaSet: [['rs'], ['all']],
  ResourceQuota: [['quota']],
  Service: [['svc'], ['all']],
  ServiceAccount: [['sa']],
  StatefulSet: [['sts'], ['all']],
  StorageClass: [['sc']],
  ValidatingAdmissionPolicy: [[], ['api-extensions']],
  ValidatingAdmissionPolicyBinding: [[], ['api-extensions']],
  ValidatingWebhookConfiguration: [[], ['api-extensions']],
};

/**
 * A kind of Kubernetes, with the names that Kubernetes gives it.
 * @param subresources beside the status
 * @example
 * servedKind(Pod, [{ name: 'log', verbs: ['get'] }]).shortNames; // → ['po']
 */
export function servedKind(type: ResourceType, subresources: readonly ServedSubresource[] = []): Served {
  const [shortNames = [], categories = []] = NAMES[type.kind] ?? [];
  return {
    type,
    singular: type.kind.toLowerCase(),
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    verbs: VERBS,
    subresources: [...subresources, ...(SCALED.has(type.kind) ? [SCALE] : []), ...(hasStatus(type) ? [STATUS] : [])],
    ...(SCALED.has(type.kind) && { scale: WORKLOAD_SCALE }),
  };
}

/** The kinds that the server in memory has without a CustomResourceDefinition. */
export const servedBuiltIns: readonly Served[] = builtInKinds.map((type) => servedKind(type));

/**
 * The resources of a CustomResourceDefinition, one for each version that it serves. The status and the scale are the subresources.
 * @param crd as a file under crds/ holds it
 */
export function servedBy(crd: object): readonly Served[] {
  const { group, scope, names, versions } = definitionSpec(crd);
  const { kind, plural, singular = kind.toLowerCase(), shortNames = [], categories = [] } = names;
  return versions
    .filter(({ served }) => served)
    .map(({ name: version, subresources }) => ({
      type: { group, version, plural, kind, namespaced: scope === 'Namespaced' },
      singular,
      ...(shortNames.length > 0 && { shortNames }),
      ...(categories.length > 0 && { categories }),
      verbs: VERBS,
      subresources: [...(subresources?.scale ? [SCALE] : []), ...(subresources?.status ? [STATUS] : [])],
      ...(subresources?.scale && { scale: subresources.scale }),
    }));
}
