import type { KubeObject } from '../../../kube/types.ts';

/** Objects by something that several have in common, each once by its UID, in the order in which they were added. */
export interface Groups<T extends KubeObject> {
  of(group: string): readonly T[];
  names(): Iterable<string>;
  /** Adds an object, or replaces its earlier version. */
  set(group: string, object: T): void;
  delete(group: string, object: T): void;
}

/** Up to so many are an array, which takes the least memory: nearly all groups are small. A tenant may create a group of any size. */
const SMALL = 16;

export function createGroups<T extends KubeObject>(): Groups<T> {
  const groups = new Map<string, readonly T[] | Map<string, T>>();

  const uidOf = ({ metadata: { uid = '' } }: T): string => uid;
  const indexOf = (group: readonly T[], uid: string): number => group.findIndex((each) => uidOf(each) === uid);

  return {
    of(name) {
      const group = groups.get(name) ?? [];
      return group instanceof Map ? [...group.values()] : group;
    },
    names: () => groups.keys(),
    set(name, object) {
      const group = groups.get(name) ?? [];
      const uid = uidOf(object);
      if (group instanceof Map) {
        group.set(uid, object);
        return;
      }
      const at = indexOf(group, uid);
      if (at !== -1) groups.set(name, group.with(at, object));
      else if (group.length < SMALL) groups.set(name, [...group, object]);
      else groups.set(name, new Map([...group, object].map((each) => [uidOf(each), each])));
    },
    delete(name, object) {
      const group = groups.get(name);
      if (!group) return;
      if (group instanceof Map) {
        group.delete(uidOf(object));
        if (group.size === 0) groups.delete(name);
        return;
      }
      const at = indexOf(group, uidOf(object));
      if (at === -1) return;
      if (group.length > 1) groups.set(name, group.toSpliced(at, 1));
      else groups.delete(name);
    },
  };
}
