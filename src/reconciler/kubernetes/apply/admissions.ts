import { hash } from 'node:crypto';
import type { KubeObject, Log } from '../../../kube/types.ts';
import { differencesIn } from '../../../planning/diff/compare.ts';

/**
 * Changes that admission makes in sent objects: a webhook that rewrites image registries, for example. a webhook that rewrites image
 * registries, for example. If the answer to our own write differs from what was sent, no other writer is at work, and another write would
 * change nothing. It is known by what was sent, so that an edit is sent in any case. A value other than admission's is another writer's,
 * and is repaired.
 */
export interface Admissions {
  /** Notes the answer to a write, and returns whether it equals what was sent. `sent` is the hash of what was rendered. */
  answered(owner: string, sent: string, desired: object, answer: KubeObject): boolean;
  /** The paths that differ, without those whose value admission has set. */
  unexplained(owner: string, sent: string, desired: object, live: KubeObject): readonly string[];
  /** Forgets the objects of an owner. */
  forget(owner: string): void;
}
interface Admitted {
  readonly sent: string;
  /** The hash of each value by path: a value may be that of a Secret. */
  readonly values: ReadonlyMap<string, string>;
}

export function createAdmissions(log: Log): Admissions {
  // By UID of the owner, then of the object; most objects have no entry.
  const known = new Map<string, Map<string, Admitted>>();
  return {
    answered(owner, sent, desired, answer) {
      const { uid = '', namespace, name } = answer.metadata;
      const given = differencesIn(desired, answer);
      if (given.length === 0) {
        known.get(owner)?.delete(uid);
        return true;
      }
      const objects = known.get(owner) ?? new Map<string, Admitted>();
      known.set(owner, objects);
      objects.set(uid, { sent, values: new Map(given.map(({ path, live }) => [path, valueOf(live)])) });
      const fields = given.slice(0, 10).map(({ path }) => path);
      log.info({ object: `${answer.kind}/${name}`, namespace, fields }, 'admission changed what was sent, which is accepted');
      return false;
    },
    unexplained(owner, sent, desired, live) {
      const differences = differencesIn(desired, live);
      if (differences.length === 0) return [];
      const admitted = known.get(owner)?.get(live.metadata.uid ?? '');
      return differences
        .filter(({ path, live: value }) => admitted?.sent !== sent || admitted.values.get(path) !== valueOf(value))
        .map(({ path }) => path);
    },
    forget: (owner) => void known.delete(owner),
  };
}

const valueOf = (value: unknown): string => hash('sha1', JSON.stringify(value) ?? '');
