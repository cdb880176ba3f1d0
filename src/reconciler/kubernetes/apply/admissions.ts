import { hash } from 'node:crypto';
import type { KubeObject, Log } from '../../../kube/types.ts';
import { differencesIn } from '../../diff/compare.ts';

/**
 * What admission makes of what we send: a webhook that rewrites image registries, for one. Where the answer to our own write differs from
 * it nobody has fought us, and to write again would change nothing. It is known by what was sent, so that an edit is sent in any case; a
 * value other than admission's is somebody else's, and is repaired.
 */
export interface Admissions {
  /** Takes note of the answer to a write, and returns whether it is what was asked for; `sent` is the hash of what was rendered. */
  answered(owner: string, sent: string, desired: object, answer: KubeObject): boolean;
  /** The paths that differ, but for those where admission has put what is there. */
  unexplained(owner: string, sent: string, desired: object, live: KubeObject): readonly string[];
  /** Of an owner that is gone. */
  forget(owner: string): void;
}
interface Admitted {
  readonly sent: string;
  /** By path: hash of the value, which may be of a Secret. */
  readonly values: ReadonlyMap<string, string>;
}

export function createAdmissions(log: Log): Admissions {
  // By UID of the owner, then of the object; of most objects there is nothing to know.
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
