import type { ClaimFact, Facts, Needs, PlanInput, Runtime, SecretNeed } from '../../constructs/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isNotFound } from '../../kube/errors.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import type { Hold } from '../world.ts';
import { ownedKinds, Secret } from './kinds.ts';

/** Looking things up that are neither listed nor watched: Secrets, and the claims of users. */
export interface Lookups {
  /** Whether a Secret is there; asked of the API server at most once for each set-up, and again with back-off while it is missing. */
  secret(namespace: string, need: SecretNeed, epoch: string): Promise<SecretState>;
  claim(namespace: string, name: string, epoch: string): Promise<ClaimFact | Hold>;
  /** Nothing is remembered of this runtime any more. */
  forget(epoch: string): void;
}
export type SecretState = { readonly data: Readonly<Record<string, string>> } | { readonly missing: true; readonly retryMs: number };

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
const MAX_ROUNDS = 4;

export function createLookups(client: KubeClient, now: () => number): Lookups {
  // By runtime (its epoch), then by what was asked.
  const known = new Map<string, Map<string, { state: SecretState | ClaimFact; tries: number; at: number }>>();

  const remembered = (epoch: string) => {
    const entries = known.get(epoch) ?? new Map();
    known.set(epoch, entries);
    return entries;
  };
  const orNothing = (type: ResourceType, where: { namespace?: string; name: string }): Promise<KubeObject | undefined> =>
    client.get(type, where).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });

  return {
    async secret(namespace, { name, inline }, epoch) {
      const entries = remembered(epoch);
      const before = entries.get(`secret/${name}`);
      if (before && 'data' in before.state) return before.state;
      if (before && 'missing' in before.state && now() - before.at < before.state.retryMs) return before.state;
      const object = await orNothing(Secret, { namespace, name });
      const tries = (before?.tries ?? 0) + 1;
      const state: SecretState = object
        ? { data: inline ? decoded(object) : {} }
        : { missing: true, retryMs: Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (tries - 1)) };
      entries.set(`secret/${name}`, { state, tries, at: now() });
      return state;
    },
    async claim(namespace, name, epoch) {
      const entries = remembered(epoch);
      const before = entries.get(`claim/${name}`);
      if (before && 'uid' in before.state) return before.state as ClaimFact;
      const retryMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (before?.tries ?? 0));
      const again = (message: string): Hold => {
        entries.set(`claim/${name}`, { state: { missing: true, retryMs }, tries: (before?.tries ?? 0) + 1, at: now() });
        return { reason: 'ClaimNotBound', message, retryMs };
      };
      const claim = await orNothing(ownedKinds.PersistentVolumeClaim, { namespace, name });
      if (!claim) return again(`persistent volume claim ${name} not found`);
      const volumeName = (claim['spec'] as { volumeName?: string }).volumeName;
      const volume = volumeName && (claim['status'] as { phase?: string } | undefined)?.phase === 'Bound' ? await orNothing(ownedKinds.PersistentVolume, { name: volumeName }) : undefined;
      if (!volume) return again(`persistent volume claim ${name} not bounded yet`);
      const fact = claimFact(claim, volume);
      entries.set(`claim/${name}`, { state: fact, tries: 0, at: now() });
      return fact;
    },
    forget: (epoch) => known.delete(epoch),
  };
}

function claimFact(claim: KubeObject, volume: KubeObject): ClaimFact {
  const { csi, mountOptions } = volume['spec'] as { csi?: ClaimFact['csi']; mountOptions?: readonly string[] };
  const annotated = volume.metadata.annotations?.['volume.beta.kubernetes.io/mount-options'];
  return {
    uid: claim.metadata.uid ?? '',
    volume: volume.metadata.name,
    ...(csi && { csi }),
    mountOptions: mountOptions ?? annotated?.split(',') ?? [],
  };
}

const decoded = (secret: KubeObject): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries((secret['data'] ?? {}) as Record<string, string>).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]));

/** What answers a runtime's needs; a Hold says what is missing. */
export interface Answers {
  port(need: NonNullable<Needs['ports']>[number]): number | Hold;
  secret(need: SecretNeed): Promise<SecretState | 'assumed'>;
  claim(name: string): Promise<ClaimFact | Hold>;
  object(kind: string, name: string): unknown;
  readonly fuse?: Facts['fuse'];
}
export interface Gathered {
  readonly facts: Facts;
  readonly missingSecrets: readonly string[];
  readonly secretRetryMs?: number;
}

/** Asks the runtime what it needs, answers, and asks again with the answers until it needs nothing new: a profile may name Secrets. */
export async function gatherFacts(runtime: Runtime, input: Omit<PlanInput<unknown>, 'facts'>, answers: Answers): Promise<Gathered | Hold> {
  const ports: Record<string, number> = {};
  const secrets: Record<string, Readonly<Record<string, string>>> = {};
  const claims: Record<string, ClaimFact> = {};
  const objects: Record<string, unknown> = {};
  const missing = new Map<string, number>();
  const facts: Facts = { ports, secrets, claims, objects, ...(answers.fuse && { fuse: answers.fuse }) };
  const asked = new Set<string>();
  const isNew = (what: string) => !asked.has(what) && asked.add(what) !== undefined;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = asked.size;
    const needs = runtime.needs({ ...input, facts });
    for (const { kind, name } of needs.objects ?? []) {
      if (!isNew(`${kind}/${name}`)) continue;
      const object = answers.object(kind, name);
      if (!object) return { reason: `${kind}NotFound`, message: `${kind} ${name} does not exist` };
      objects[`${kind}/${name}`] = object;
    }
    for (const name of needs.claims ?? []) {
      if (!isNew(`claim/${name}`)) continue;
      const claim = await answers.claim(name);
      if ('reason' in claim) return claim;
      claims[name] = claim;
    }
    for (const need of needs.ports ?? []) {
      if (!isNew(`port/${need.name}`)) continue;
      const port = answers.port(need);
      if (typeof port !== 'number') return port;
      ports[need.name] = port;
    }
    for (const need of needs.secrets ?? []) {
      if (!isNew(`secret/${need.name}/${need.inline ?? false}`)) continue;
      const state = await answers.secret(need);
      if (state === 'assumed') continue;
      if ('missing' in state) missing.set(need.name, state.retryMs);
      else if (need.inline) secrets[need.name] = state.data;
    }
    // Without its contents nothing can be planned.
    const inlineMissing = (needs.secrets ?? []).find(({ name, inline }) => inline && missing.has(name));
    if (inlineMissing) return { reason: 'SecretNotFound', message: `waiting for Secret ${inlineMissing.name}`, retryMs: missing.get(inlineMissing.name) ?? FIRST_RETRY_MS };
    if (asked.size === before) break;
  }
  return { facts, missingSecrets: [...missing.keys()], ...(missing.size > 0 && { secretRetryMs: Math.min(...missing.values()) }) };
}
