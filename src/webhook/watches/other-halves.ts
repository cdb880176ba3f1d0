import { type CustomResource, Dataset } from '../../api/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { ignoreNotFound } from '../../kube/errors.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { KnownObjects } from '../known.ts';
import { ours } from './types.ts';

/** The source of the objects that others are judged with. */
export interface OtherHalves {
  readonly client: KubeClient;
  /** From the watches: which runtimes exist. */
  readonly known: Pick<KnownObjects, 'runtime'>;
  readonly runtimes: readonly {
    readonly type: string;
    readonly resource: CustomResource;
    readonly companions: readonly CustomResource[];
  }[];
}

/** How to read an object; undefined if there is none, or none of this kind is read. The result has none if it does not exist. */
export type ReadOther = (
  kind: string,
  namespace: string | undefined,
  name: string,
) => ((signal: AbortSignal) => Promise<KubeObject | undefined>) | undefined;

/**
 * Reads Datasets, runtimes and the objects that these refer to from the API server: the watches keep no specs, which would take most of the
 * memory. A runtime that they do not know is not asked for, since a Dataset may have one of any kind.
 */
export function otherHalves({ client, known, runtimes }: OtherHalves): ReadOther {
  const types = new Map(runtimes.map(({ type, resource }) => [resource.kind, type]));
  const resources = [Dataset, ...runtimes.flatMap(({ resource, companions }) => [resource, ...companions])];
  const readable = new Map(resources.map((resource) => [resource.kind, ours(resource)]));
  return (kind, namespace, name) => {
    const [type, resource] = [types.get(kind), readable.get(kind)];
    if (!resource || (type !== undefined && known.runtime(type, namespace ?? '', name) === undefined)) return undefined;
    const path = resource.namespaced ? { namespace, name } : { name };
    return (signal) => client.get(resource, path, { signal, retries: 0 }).catch(ignoreNotFound);
  };
}
