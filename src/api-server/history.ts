import type { KubeObject } from '../kube/types.ts';
import { firstIndex } from './collection.ts';
import { expired } from './refusals.ts';
import { textOf } from './texts.ts';

/** An object before and after a change. */
export interface Changed {
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
}
/** One change of one object, as etcd remembers it. */
export interface StoredChange extends Changed {
  readonly revision: number;
}

/** The most that is remembered of each kind. At least half of it is. */
export interface HistoryBounds {
  readonly changes: number;
  /** Characters of the objects as JSON. */
  readonly characters: number;
}

/** The changes of one kind, in order. */
export interface History {
  /** Up to which revision they are forgotten. */
  readonly forgotten: number;
  add(change: StoredChange): void;
  /** The first after a revision. @throws Refusal when it may be forgotten */
  after(revision: number): StoredChange | undefined;
  /** Forgets all up to a revision, which is the newest. */
  compact(revision: number): void;
}

/** @param forgotten the revision after which it begins */
export function createHistory(forgotten: number, most: HistoryBounds | undefined): History {
  let changes: (StoredChange & { readonly size: number })[] = [];
  let size = 0;

  /** Half at once, so that it is seldom; never the newest. */
  function forget({ changes: number, characters }: HistoryBounds): void {
    if (changes.length <= number && size <= characters) return;
    let first = 0;
    while (first < changes.length - 1 && (changes.length - first > number / 2 || size > characters / 2)) size -= changes[first++]!.size;
    forgotten = changes.splice(0, first).at(-1)?.revision ?? forgotten;
  }

  return {
    get forgotten() {
      return forgotten;
    },
    add(change) {
      const added = { ...change, size: most ? textOf((change.object ?? change.old)!).length : 0 };
      changes.push(added);
      size += added.size;
      if (most) forget(most);
    },
    after(revision) {
      if (revision < forgotten) throw expired(`too old resource version: ${revision} (${forgotten})`);
      return changes[firstIndex(changes.length, (i) => changes[i]!.revision > revision)];
    },
    compact(revision) {
      forgotten = revision;
      changes = [];
      size = 0;
    },
  };
}
