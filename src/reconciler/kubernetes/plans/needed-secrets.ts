import type { Clock } from '../../../kube/clock.ts';
import type { SecretNeed } from '../../../constructs/index.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { dataKeys } from '../../../planning/named-objects.ts';
import { type Asker, type LookupMemory, retryAfterMs } from './lookup-memory.ts';
import type { SecretState } from '../../../planning/facts.ts';

/** An answer this old is still good: a set-up is many passes in a second. */
export const SECRET_FRESH_MS = 1000;
/** The answer that a Secret exists is shared for this time by all runtimes that name it. */
export const SECRET_EXISTS_MS = 5000;

/**
 * Whether a Secret exists. It is read at most once for each set-up, or for many that come together, and retried with back-off while it is
 * missing. A Secret whose contents are needed is read for each pass, since no watch reports its changes.
 *
 * @param goodForMs how long a Secret that was found counts as existing
 * @throws ApiError what else than 404 the API server answered
 */
export type ReadNeededSecret = (namespace: string, need: SecretNeed, asker: Asker, goodForMs?: number) => Promise<SecretState>;

/** Reads the Secrets that `needs` of a runtime name. @param read one Secret; undefined if it does not exist */
export function createNeededSecrets(
  read: (namespace: string, name: string) => Promise<KubeObject | undefined>,
  memory: Pick<LookupMemory, 'answersFor'>,
  clock: Pick<Clock, 'monotonic' | 'wall'>,
): ReadNeededSecret {
  const secretKeys = createSecretKeys(read, clock);
  return async (home, need, asker, goodForMs = need.inline ? SECRET_FRESH_MS : Infinity) => {
    const { name, namespace = home, inline = false, keys = [] } = need;
    const answers = memory.answersFor(asker);
    const question = `secret/${namespace}/${name}/${inline}/${keys.join()}`;
    const before = answers.get(question);
    if (before && 'data' in before.state && clock.monotonic() - before.at < goodForMs) return before.state;
    const wait =
      before && 'missing' in before.state ? { ...before.state, retryMs: before.at + before.state.retryMs - clock.monotonic() } : undefined;
    if (wait && wait.retryMs > 0) return wait;
    const object = inline ? await read(namespace, name) : undefined;
    const found = inline ? object && dataKeys(object) : await secretKeys(namespace, name, asker);
    const held = new Set(found);
    const absent = keys.filter((key) => !held.has(key));
    const isWell = found !== undefined && absent.length === 0;
    const tries = isWell ? 0 : (before?.tries ?? 0) + 1;
    const state: SecretState = isWell
      ? { data: (object?.['data'] ?? {}) as Record<string, string> }
      : { missing: true, ...(found && { keys: absent }), retryMs: retryAfterMs(tries) };
    answers.set(question, { state, tries, at: clock.monotonic() });
    return state;
  };
}

/**
 * The keys of a Secret, `undefined` if it does not exist. Runtimes that ask at about the same time share one request; a second request from
 * the same runtime reads the Secret again, and so does that of one whose specs are newer. That a Secret does not exist is never shared.
 */
type SecretKeys = (namespace: string, name: string, asker: Asker) => Promise<readonly string[] | undefined>;

interface Shared {
  readonly at: number;
  /** Ms since the epoch, to compare with the times of objects. */
  readonly wall: number;
  readonly keys: Promise<readonly string[] | undefined>;
  /** UIDs of the runtimes that have the answer. */
  readonly given: Set<string>;
}

function createSecretKeys(
  read: (namespace: string, name: string) => Promise<KubeObject | undefined>,
  clock: Pick<Clock, 'monotonic' | 'wall'>,
): SecretKeys {
  // In the order of the requests, so that the oldest are first.
  const shared = new Map<string, Shared>();
  return (namespace, name, { uid, since = 0 }) => {
    for (const [id, { at }] of shared)
      if (clock.monotonic() - at > SECRET_EXISTS_MS) shared.delete(id);
      else break;
    const id = `${namespace}/${name}`;
    const before = shared.get(id);
    if (before && !before.given.has(uid) && before.wall >= since) {
      before.given.add(uid);
      return before.keys;
    }
    const keys = read(namespace, name).then((object) => object && dataKeys(object));
    const asked: Shared = { at: clock.monotonic(), wall: clock.wall(), keys, given: new Set([uid]) };
    const unlessFound = (found?: readonly string[]) => !found && shared.get(id) === asked && shared.delete(id);
    keys.then(unlessFound, () => unlessFound());
    shared.delete(id);
    shared.set(id, asked);
    return keys;
  };
}
