import { label } from '../../../api/index.ts';
import type {
  ClaimFact,
  Facts,
  Needs,
  PodFact,
  ReferenceFact,
  ReferenceNeed,
  Runtime,
  RuntimeInput,
  SecretNeed,
  ServingRole,
} from '../../../constructs/index.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import { isNotFound } from '../../../kube/errors.ts';
import type { KubeObject, ResourceType } from '../../../kube/types.ts';
import { missingText } from '../../status/secret-text.ts';
import type { Reason } from '../../reasons.ts';
import type { Hold, MissingSecret } from '../../world.ts';
import { ownedKinds, Secret } from '../kinds.ts';
import { compact } from '../store/sharing.ts';

/** Looking things up that are neither listed nor watched: Secrets, and the claims of users. */
export interface Lookups {
  /**
   * Whether a Secret is there: asked of the API server at most once for each set-up, or for many that come together, and again with
   * back-off while it is missing. One whose contents are needed is read for each pass, since nothing else would tell us that it has changed.
   *
   * @param goodForMs how long it is taken to be there once it was
   */
  secret(namespace: string, need: SecretNeed, asker: Asker, goodForMs?: number): Promise<SecretState>;
  claim(namespace: string, name: string, asker: Asker): Promise<ClaimFact | Hold>;
  /** Of a ConfigMap, in order. */
  keys(namespace: string, name: string, asker: Asker): Promise<readonly string[] | Hold>;
  /** Who `fluid.io/managed-by` says has a claim that was found. */
  manager(uid: string, claim: string): string | undefined;
  /** It was written since. */
  managed(uid: string, claim: string, by: string): void;
  /**
   * What was found did for no plan. It is looked up again after so long, with back-off; undefined when nothing was looked up, so that
   * only an edit can help.
   */
  refused(asker: Asker): number | undefined;
  /** It did for one. */
  accepted(uid: string): void;
  /** Nothing is remembered of this runtime any more. */
  forget(uid: string): void;
}
/** For whom something is looked up; what was found is forgotten when the specs that it was found for change. */
export interface Asker {
  readonly uid: string;
  readonly generations: string;
}
export type SecretState =
  | { readonly data: Readonly<Record<string, string>> }
  /** With `keys` it is there, without these. */
  | { readonly missing: true; readonly keys?: readonly string[]; readonly retryMs: number };

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
const MAX_ROUNDS = 4;
/** What was read so long ago is still good: a set-up is many passes in a second. */
export const SECRET_FRESH_MS = 1000;
/** That a Secret is there is good for every runtime that names it, for so long. */
export const THERE_MS = 5000;
const backoff = (tries: number): number => Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (tries - 1));

export function createLookups(client: KubeClient, now: () => number): Lookups {
  // By runtime, then by what was asked.
  type Entries = Map<
    string,
    { state: SecretState | ClaimFact | readonly string[]; tries: number; at: number; message?: string; manager?: string | undefined }
  >;
  const known = new Map<string, { readonly generations: string; readonly entries: Entries; refusals: number; staleAt: number }>();

  const remembered = ({ uid, generations }: Asker): Entries => {
    const before = known.get(uid);
    if (before?.generations !== generations) {
      const entries: Entries = new Map();
      known.set(uid, { generations, entries, refusals: 0, staleAt: Infinity });
      return entries;
    }
    if (now() >= before.staleAt) {
      before.entries.clear();
      before.staleAt = Infinity;
    }
    return before.entries;
  };
  const orNothing = (type: ResourceType, where: { namespace?: string; name: string }): Promise<KubeObject | undefined> =>
    client.get(type, where).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });

  // When it was asked for, in that order; the question itself is shared as well.
  const there = new Map<
    string,
    { readonly at: number; readonly keys: Promise<readonly string[] | undefined>; readonly told: Set<string> }
  >();
  /** Undefined when it is not there. */
  function keysIn(namespace: string, name: string, { uid }: Asker): Promise<readonly string[] | undefined> {
    for (const [id, { at }] of there)
      if (now() - at > THERE_MS) there.delete(id);
      else break;
    const id = `${namespace}/${name}`;
    const before = there.get(id);
    // Who asks again wants to know anew.
    if (before && !before.told.has(uid)) {
      before.told.add(uid);
      return before.keys;
    }
    const keys = orNothing(Secret, { namespace, name }).then((object) => object && keysOf(object));
    const asked = { at: now(), keys, told: new Set([uid]) };
    const unlessThere = (found?: readonly string[]) => !found && there.get(id) === asked && there.delete(id);
    keys.then(unlessThere, () => unlessThere());
    there.delete(id);
    there.set(id, asked);
    return keys;
  }

  /** Looked for until it is there, with back-off; then good for as long as the specs are the same. */
  async function awaited<T extends ClaimFact | readonly string[]>(
    asker: Asker,
    id: string,
    reason: Reason,
    look: () => Promise<{ readonly found: T; readonly manager?: string | undefined } | { readonly missing: string }>,
  ): Promise<T | Hold> {
    const entries = remembered(asker);
    const before = entries.get(id);
    // The cast: entries of one name hold facts of one kind.
    if (before && !('missing' in before.state)) return before.state as T;
    const waitMs = before && 'missing' in before.state ? before.at + before.state.retryMs - now() : 0;
    // Looked at for another reason: this is no try.
    if (waitMs > 0) return { reason, message: before?.message ?? '', retryMs: waitMs };
    const tries = (before?.tries ?? 0) + 1;
    const seen = await look();
    if ('found' in seen) {
      entries.set(id, { state: seen.found, tries: 0, at: now(), manager: seen.manager });
      return seen.found;
    }
    const retryMs = backoff(tries);
    entries.set(id, { state: { missing: true, retryMs }, tries, at: now(), message: seen.missing });
    return { reason, message: seen.missing, retryMs };
  }

  return {
    async secret(home, need, asker, goodForMs = need.inline ? SECRET_FRESH_MS : Infinity) {
      const { name, namespace = home, inline = false, keys = [] } = need;
      const entries = remembered(asker);
      const id = `secret/${namespace}/${name}/${inline}/${keys.join()}`;
      const before = entries.get(id);
      if (before && 'data' in before.state && now() - before.at < goodForMs) return before.state;
      const wait = before && 'missing' in before.state ? { ...before.state, retryMs: before.at + before.state.retryMs - now() } : undefined;
      if (wait && wait.retryMs > 0) return wait;
      const object = inline ? await orNothing(Secret, { namespace, name }) : undefined;
      const found = inline ? object && keysOf(object) : await keysIn(namespace, name, asker);
      const held = new Set(found);
      const absent = keys.filter((key) => !held.has(key));
      const isWell = found !== undefined && absent.length === 0;
      const tries = isWell ? 0 : (before?.tries ?? 0) + 1;
      const state: SecretState = isWell
        ? { data: (object?.['data'] ?? {}) as Record<string, string> }
        : { missing: true, ...(found && { keys: absent }), retryMs: backoff(tries) };
      entries.set(id, { state, tries, at: now() });
      return state;
    },
    claim: (namespace, name, asker) =>
      awaited(asker, `claim/${name}`, 'ClaimNotBound', async () => {
        const claim = await orNothing(ownedKinds.PersistentVolumeClaim, { namespace, name });
        if (!claim) return { missing: `persistent volume claim ${name} not found` };
        const volumeName = (claim['spec'] as { volumeName?: string }).volumeName;
        const volume =
          volumeName && (claim['status'] as { phase?: string } | undefined)?.phase === 'Bound'
            ? await orNothing(ownedKinds.PersistentVolume, { name: volumeName })
            : undefined;
        if (!volume) return { missing: `persistent volume claim ${name} not bounded yet` };
        return { found: claimFact(claim, volume), manager: claim.metadata.labels?.[label.managedBy] };
      }),
    keys: (namespace, name, asker) =>
      awaited(asker, `configmap/${name}`, 'ConfigMapNotFound', async () => {
        const object = await orNothing(ownedKinds.ConfigMap, { namespace, name });
        return object ? { found: keysOf(object) } : { missing: `ConfigMap ${name} does not exist` };
      }),
    manager: (uid, claim) => known.get(uid)?.entries.get(`claim/${claim}`)?.manager,
    managed(uid, claim, by) {
      const entry = known.get(uid)?.entries.get(`claim/${claim}`);
      if (entry) entry.manager = by;
    },
    refused({ uid, generations }) {
      const found = known.get(uid);
      if (found?.generations !== generations || found.entries.size === 0) return undefined;
      // Planned again for another reason: this is no try.
      if (found.staleAt === Infinity) found.staleAt = now() + backoff(++found.refusals);
      return Math.max(0, found.staleAt - now());
    },
    accepted(uid) {
      const found = known.get(uid);
      if (found) Object.assign(found, { refusals: 0, staleAt: Infinity });
    },
    forget: (uid) => known.delete(uid),
  };
}

export const keysOf = ({ data, binaryData }: KubeObject): readonly string[] =>
  Object.keys({ ...(data as object | undefined), ...(binaryData as object | undefined) }).toSorted();

/** What a bound claim and its volume tell. */
export function claimFact(claim: KubeObject, volume: KubeObject): ClaimFact {
  const { csi, mountOptions } = volume['spec'] as { csi?: ClaimFact['csi']; mountOptions?: readonly string[] };
  const annotated = volume.metadata.annotations?.['volume.beta.kubernetes.io/mount-options'];
  return {
    uid: claim.metadata.uid ?? '',
    volume: volume.metadata.name,
    ...(csi && { csi }),
    mountOptions: mountOptions ?? annotated?.split(',') ?? [],
  };
}

/** What answers a runtime's needs; a Hold says what is missing. */
export interface Answers {
  port(need: NonNullable<Needs['ports']>[number]): number | Hold;
  secret(need: SecretNeed): Promise<SecretState | 'assumed'>;
  claim(name: string): Promise<ClaimFact | Hold>;
  object(kind: string, name: string): unknown;
  keys(configMap: string): Promise<readonly string[] | Hold>;
  pods(role: ServingRole): readonly PodFact[];
  reference(need: ReferenceNeed): Promise<ReferenceFact | Hold>;
  readonly fuse?: Facts['fuse'];
  readonly engine?: string;
}
export interface Gathered {
  readonly facts: Facts;
  readonly missingSecrets: readonly MissingSecret[];
  readonly secretRetryMs?: number;
}

/** Asks the runtime what it needs, answers, and asks again with the answers until it needs nothing new: a profile may name Secrets. */
export async function gatherFacts(
  runtime: Runtime,
  input: Omit<RuntimeInput<unknown>, 'facts'>,
  answers: Answers,
): Promise<Gathered | Hold> {
  const ports: Record<string, number> = {};
  const secrets: Record<string, Readonly<Record<string, string>>> = {};
  const claims: Record<string, ClaimFact> = {};
  const objects: Record<string, unknown> = {};
  const configMaps: Record<string, readonly string[]> = {};
  const pods: Partial<Record<ServingRole, readonly PodFact[]>> = {};
  const missing = new Map<string, { readonly lack: MissingSecret; readonly retryMs: number }>();
  let reference: ReferenceFact | undefined;
  const facts = (): Facts => ({
    ports,
    secrets,
    claims,
    objects,
    configMaps,
    pods,
    ...(answers.fuse && { fuse: answers.fuse }),
    ...(answers.engine !== undefined && { engine: answers.engine }),
    ...(reference && { reference }),
  });
  const asked = new Set<string>();
  const isNew = (what: string) => !asked.has(what) && asked.add(what) !== undefined;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = asked.size;
    const needs = runtime.needs({ ...input, facts: facts() });
    for (const { kind, name } of needs.objects ?? []) {
      if (!isNew(`${kind}/${name}`)) continue;
      const object = await answers.object(kind, name);
      if (!object) return { reason: `${kind}NotFound`, message: `${kind} ${name} does not exist` };
      objects[`${kind}/${name}`] = object;
    }
    if (needs.reference && isNew(`reference/${needs.reference.namespace}/${needs.reference.name}`)) {
      const found = await answers.reference(needs.reference);
      if ('reason' in found) return found;
      reference = found;
    }
    for (const name of needs.claims ?? []) {
      if (!isNew(`claim/${name}`)) continue;
      const claim = await answers.claim(name);
      if ('reason' in claim) return claim;
      claims[name] = claim;
    }
    for (const name of needs.configMaps ?? []) {
      if (!isNew(`configmap/${name}`)) continue;
      const keys = await answers.keys(name);
      if ('reason' in keys) return keys;
      configMaps[name] = keys;
    }
    for (const role of needs.pods ?? []) if (isNew(`pods/${role}`)) pods[role] = answers.pods(role);
    for (const need of needs.ports ?? []) {
      if (!isNew(`port/${need.name}`)) continue;
      const port = answers.port(need);
      if (typeof port !== 'number') return port;
      ports[need.name] = port;
    }
    for (const need of needs.secrets ?? []) {
      const called = calledOf(need);
      if (!isNew(`secret/${called}/${need.inline ?? false}/${need.keys?.join() ?? ''}`)) continue;
      const state = await answers.secret(need);
      if (state === 'assumed') continue;
      if ('missing' in state)
        missing.set(called, { lack: { name: called, ...(state.keys && { keys: state.keys }) }, retryMs: state.retryMs });
      else if (need.inline) secrets[called] = state.data;
    }
    // Without its contents nothing can be planned.
    const [unread] = (needs.secrets ?? []).flatMap((need) => (need.inline && missing.get(calledOf(need))) || []);
    if (unread)
      return {
        reason: 'SecretNotFound',
        message: `waiting for ${missingText(unread.lack, input.namespace, { Dataset: input.dataset.spec, [runtime.resource.kind]: input.spec })}`,
        retryMs: unread.retryMs,
      };
    if (asked.size === before) break;
  }
  const kept = {
    ...facts(),
    secrets: compact(secrets),
    claims: compact(claims),
    objects: compact(objects),
    ports: compact(ports),
    configMaps: compact(configMaps),
    pods: compact(pods),
    ...(reference && { reference }),
  };
  const lacks = [...missing.values()];
  return {
    facts: kept,
    missingSecrets: lacks.map(({ lack }) => lack),
    ...(lacks.length > 0 && { secretRetryMs: Math.min(...lacks.map(({ retryMs }) => retryMs)) }),
  };
}

const calledOf = ({ name, namespace }: SecretNeed): string => (namespace === undefined ? name : `${namespace}/${name}`);
