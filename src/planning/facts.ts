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
} from '../constructs/index.ts';
import { missingText } from './secret-text.ts';
import type { Hold } from './hold.ts';
import type { MissingSecret } from './objects.ts';
import { compact } from './sharing.ts';

/** Rounds of questions; a runtime that has new ones after each answer is stopped here. */
const MAX_ROUNDS = 4;

export type SecretState =
  | { readonly data: Readonly<Record<string, string>> }
  /** With `keys` the Secret exists, without these keys. */
  | { readonly missing: true; readonly keys?: readonly string[]; readonly retryMs: number };
/** Where each fact that a runtime needs comes from; a Hold says what is missing. */
export interface FactSources {
  port(need: NonNullable<Needs['ports']>[number]): number | Hold;
  secret(need: SecretNeed): Promise<SecretState | 'assumed'>;
  claim(name: string): Promise<ClaimFact | Hold>;
  object(kind: string, name: string): unknown;
  keys(configMap: string): Promise<readonly string[] | Hold>;
  pods(role: ServingRole): readonly PodFact[];
  reference(need: ReferenceNeed): Promise<ReferenceFact | Hold>;
  /** Number of masters with which the runtime was set up. */
  readonly masters?: number;
  readonly fuse?: Facts['fuse'];
  readonly engine?: string;
}
export interface Gathered {
  readonly facts: Facts;
  readonly missingSecrets: readonly MissingSecret[];
  readonly secretRetryMs?: number;
}

/** Asks the runtime for its needs, answers them, and asks again with the answers until it has no new need: a profile may name Secrets. */
export async function gatherFacts(
  runtime: Runtime,
  input: Omit<RuntimeInput<unknown>, 'facts'>,
  sources: FactSources,
): Promise<Gathered | Hold> {
  const ports: Record<string, number> = {};
  const secrets: Record<string, Readonly<Record<string, string>>> = {};
  const claims: Record<string, ClaimFact> = {};
  const objects: Record<string, unknown> = {};
  const configMaps: Record<string, readonly string[]> = {};
  const pods: Partial<Record<ServingRole, readonly PodFact[]>> = {};
  const missing = new Map<string, { readonly lack: MissingSecret; readonly retryMs: number }>();
  let reference: ReferenceFact | undefined;
  let masters: number | undefined;
  const facts = (): Facts => ({
    ports,
    secrets,
    claims,
    objects,
    configMaps,
    pods,
    ...(sources.fuse && { fuse: sources.fuse }),
    ...(sources.engine !== undefined && { engine: sources.engine }),
    ...(reference && { reference }),
    ...(masters !== undefined && { masters }),
  });
  const asked = new Set<string>();
  const isNew = (what: string) => !asked.has(what) && asked.add(what) !== undefined;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = asked.size;
    const needs = runtime.needs({ ...input, facts: facts() });
    for (const { kind, name } of needs.objects ?? []) {
      if (!isNew(`${kind}/${name}`)) continue;
      const object = await sources.object(kind, name);
      if (!object) return { reason: `${kind}NotFound`, message: `${kind} ${name} does not exist` };
      objects[`${kind}/${name}`] = object;
    }
    if (needs.reference && isNew(`reference/${needs.reference.namespace}/${needs.reference.name}`)) {
      const found = await sources.reference(needs.reference);
      if ('reason' in found) return found;
      reference = found;
    }
    for (const name of needs.claims ?? []) {
      if (!isNew(`claim/${name}`)) continue;
      const claim = await sources.claim(name);
      if ('reason' in claim) return claim;
      claims[name] = claim;
    }
    for (const name of needs.configMaps ?? []) {
      if (!isNew(`configmap/${name}`)) continue;
      const keys = await sources.keys(name);
      if ('reason' in keys) return keys;
      configMaps[name] = keys;
    }
    if (needs.masters && isNew('masters')) masters = sources.masters;
    for (const role of needs.pods ?? []) if (isNew(`pods/${role}`)) pods[role] = sources.pods(role);
    for (const need of needs.ports ?? []) {
      if (!isNew(`port/${need.name}`)) continue;
      const port = sources.port(need);
      if (typeof port !== 'number') return port;
      ports[need.name] = port;
    }
    for (const need of needs.secrets ?? []) {
      const called = calledOf(need);
      if (!isNew(`secret/${called}/${need.inline ?? false}/${need.keys?.join() ?? ''}`)) continue;
      const state = await sources.secret(need);
      if (state === 'assumed') continue;
      if ('missing' in state)
        missing.set(called, { lack: { name: called, ...(state.keys && { keys: state.keys }) }, retryMs: state.retryMs });
      else if (need.inline) secrets[called] = state.data;
    }
    // Without its contents no plan is possible.
    const [unread] = (needs.secrets ?? []).flatMap((need) => (need.inline && missing.get(calledOf(need))) || []);
    if (unread)
      return {
        reason: 'SecretNotFound',
        message: `waiting for ${missingText(unread.lack, input.namespace, { Dataset: input.dataset.spec, [runtime.resource.kind]: input.spec })}`,
        afterMs: unread.retryMs,
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
