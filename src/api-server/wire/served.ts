import type { ResourceType } from '../../kube/types.ts';
import { definitionSpec, type ScalePaths } from '../definition.ts';
import { builtInKinds, hasStatus, traitsOf } from '../kinds.ts';
import { SCALE_KIND, WORKLOAD_SCALE } from './scale.ts';

/** A resource as discovery lists it. */
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
  /** The kind of its answers, where that is not the object's. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
}

/** The verbs for a collection and its objects that the server in memory supports. */
const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'] as const;
const STATUS: ServedSubresource = { name: 'status', verbs: ['get', 'patch', 'update'] };
const SCALE: ServedSubresource = { name: 'scale', kind: SCALE_KIND, verbs: ['get', 'patch', 'update'] };
/**
 * A kind of Kubernetes, with the names that Kubernetes gives it.
 * @param subresources beside the status
 * @example
 * servedKind(Pod, [{ name: 'log', verbs: ['get'] }]).shortNames; // → ['po']
 */
export function servedKind(type: ResourceType, subresources: readonly ServedSubresource[] = []): Served {
  const { shortNames, categories, scale } = traitsOf(type);
  return {
    type,
    singular: type.kind.toLowerCase(),
    ...(shortNames && { shortNames }),
    ...(categories && { categories }),
    verbs: VERBS,
    subresources: [...subresources, ...(scale ? [SCALE] : []), ...(hasStatus(type) ? [STATUS] : [])],
    ...(scale && { scale: WORKLOAD_SCALE }),
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
