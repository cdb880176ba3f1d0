import type { KubeObject } from '../../../kube/types.ts';

/** That a Secret exists is good for every runtime that names it, for so long. */
export const SECRET_EXISTS_MS = 5000;

/**
 * The keys of a Secret, `undefined` if it does not exist. Runtimes that ask at about the same time share one request; a second request from
 * the same runtime reads the Secret again. That a Secret does not exist is never shared.
 */
export type SecretKeys = (namespace: string, name: string, uid: string) => Promise<readonly string[] | undefined>;

interface Shared {
  readonly at: number;
  readonly keys: Promise<readonly string[] | undefined>;
  /** UIDs of the runtimes that have the answer. */
  readonly given: Set<string>;
}

export function createSecretKeys(
  read: (namespace: string, name: string) => Promise<KubeObject | undefined>,
  now: () => number,
): SecretKeys {
  // In the order of the requests, so that the oldest are first.
  const shared = new Map<string, Shared>();
  return (namespace, name, uid) => {
    for (const [id, { at }] of shared)
      if (now() - at > SECRET_EXISTS_MS) shared.delete(id);
      else break;
    const id = `${namespace}/${name}`;
    const before = shared.get(id);
    if (before && !before.given.has(uid)) {
      before.given.add(uid);
      return before.keys;
    }
    const keys = read(namespace, name).then((object) => object && keysOf(object));
    const asked: Shared = { at: now(), keys, given: new Set([uid]) };
    const unlessFound = (found?: readonly string[]) => !found && shared.get(id) === asked && shared.delete(id);
    keys.then(unlessFound, () => unlessFound());
    shared.delete(id);
    shared.set(id, asked);
    return keys;
  };
}

/** The keys of a Secret or ConfigMap, sorted. */
export const keysOf = ({ data, binaryData }: KubeObject): readonly string[] =>
  Object.keys({ ...(data as object | undefined), ...(binaryData as object | undefined) }).toSorted();
