import { Dataset, operationKinds } from '../../api/index.ts';
import type { Runtime } from '../../constructs/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isForbidden, isNotFound } from '../../kube/errors.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import { ownedKinds, Pod, Secret, typeOf } from '../../planning/kinds.ts';
import { messageOf, Refused } from '../errors.ts';

/** A source of the objects that manifests depend on: the input, a file of facts, or the cluster. */
export interface Lookup {
  find(kind: string, namespace: string | undefined, name: string): Promise<KubeObject | undefined>;
  /** All objects of this kind that the source has, of every namespace. */
  list(kind: string): Promise<readonly KubeObject[]>;
  /** Where it looks beside the input, as messages name it: `the facts`, `the cluster`. */
  readonly places: readonly string[];
}

/** The finding for an object that exists nowhere: `none in the input or the facts`. */
export const noneIn = ({ places }: Lookup): string => `none in ${['the input', ...places].join(', ').replace(/, ([^,]*)$/, ' or $1')}`;

export function among(objects: readonly KubeObject[], places: readonly string[] = []): Lookup {
  const id = (kind: string, namespace: string | undefined, name: string) => `${kind}/${namespace ?? ''}/${name}`;
  const byId = new Map(objects.toReversed().map((object) => [id(object.kind, object.metadata.namespace, object.metadata.name), object]));
  const byKind = Map.groupBy(objects, ({ kind }) => kind);
  return {
    places,
    list: async (kind) => byKind.get(kind) ?? [],
    find: async (kind, namespace, name) => byId.get(id(kind, namespace, name)),
  };
}

/** The first of these sources that has the object; lists are joined. */
export function inOrder(...lookups: readonly Lookup[]): Lookup {
  return {
    places: lookups.flatMap(({ places }) => places),
    async find(kind, namespace, name) {
      for (const lookup of lookups) {
        const found = await lookup.find(kind, namespace, name);
        if (found) return found;
      }
      return undefined;
    },
    list: async (kind) => (await Promise.all(lookups.map((lookup) => lookup.list(kind)))).flat(),
  };
}

export const CLUSTER = 'the cluster';

/** The cluster, for somebody who may not list a kind in all namespaces: then those of the input are asked. */
export interface ClusterLookup extends Lookup {
  /** Kinds that could be listed only in part, for lack of rights, a line each. */
  gaps(): readonly string[];
  /** Kinds that could be listed only in part. */
  unlisted(): readonly string[];
}

/** The namespaces of an input. */
export const namespacesIn = ({ all }: { readonly all: readonly { readonly object: KubeObject }[] }): readonly string[] => [
  ...new Set(all.flatMap(({ object }) => object.metadata.namespace ?? [])),
];

/** The cluster. Each object is read at most once, so that one command has one consistent view. */
export function inCluster(client: KubeClient, runtimes: readonly Runtime[], namespaces: readonly string[] = []): ClusterLookup {
  const own = [Dataset, ...operationKinds, ...runtimes.flatMap(({ resource, companions }) => [resource, ...companions])].map(typeOf);
  const types = new Map<string, ResourceType>([...Object.values(ownedKinds), Secret, Pod, ...own].map((type) => [type.kind, type]));
  const known = new Map<string, Promise<unknown>>();
  const partial = new Set<string>();
  const unreadSecrets = new Set<string>();
  const inNamespaces = async (type: ResourceType) => {
    partial.add(type.kind);
    return { items: (await Promise.all(namespaces.map((namespace) => client.list(type, { namespace })))).flatMap(({ items }) => items) };
  };
  const once = <T>(id: string, ask: () => Promise<T>): Promise<T> => {
    const answer = (known.get(id) as Promise<T> | undefined) ?? ask().catch(absentOrRefused<T>);
    known.set(id, answer);
    return answer;
  };
  return {
    places: [CLUSTER],
    async find(kind, namespace, name) {
      const type = types.get(kind);
      return (
        type &&
        once(`${kind}/${namespace}/${name}`, () => client.get(type, { namespace, name })).catch((error: unknown) => {
          if (kind === 'Secret' && isUnread(error)) unreadSecrets.add(`${namespace}/${name}`);
          throw error;
        })
      );
    },
    async list(kind) {
      const type = types.get(kind);
      const page =
        type &&
        (await once(kind, () =>
          client
            .list(type)
            .catch((error: unknown) => (isForbidden(error) && type.namespaced ? inNamespaces(type) : Promise.reject(error as Error))),
        ));
      return page?.items ?? [];
    },
    unlisted: () => [...partial].toSorted(),
    gaps: () => [
      ...(partial.size > 0
        ? [
            `warning: no right to list ${[...partial].toSorted().join(', ')} in all namespaces: what others have there, such as host ports, is not known`,
          ]
        : []),
      ...[...unreadSecrets].toSorted().map((secret) => `warning: no right to read Secret ${secret}: it is assumed to exist`),
    ],
  };
}

/** Whether the cluster refused to show an object. Only a lack of rights keeps a read from it: admission does not see reads. */
export const isUnread = (error: unknown): boolean => error instanceof Refused && isForbidden(error.cause);

function absentOrRefused<T>(error: unknown): T {
  // No object has this name, or its kind is not installed.
  if (isNotFound(error)) return undefined as T;
  throw new Refused(messageOf(error), { cause: error });
}
