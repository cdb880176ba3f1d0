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
import type { Hold } from './hold.ts';
import type { MissingSecret } from './objects.ts';
import { missingText } from './secret-text.ts';
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

/** Fields of which a runtime has one; it has many of all others, by name. */
type Single = 'reference' | 'masters';
type Field = Single | 'objects' | 'claims' | 'configMaps' | 'pods' | 'ports';
type Answer<F extends Field> = F extends Single ? Facts[F] : Facts[F][keyof Facts[F]];

/** A need as a question, and the field of the facts for its answer. */
const question = <F extends Field>(field: F, name: string, ask: () => Answer<F> | Hold | Promise<Answer<F> | Hold>) => ({
  field,
  name,
  ask: ask as () => unknown,
});

/** The lookups of needs, in their order. Secrets are left out: one that is missing holds no plan, unless its contents are needed. */
const questions = (
  { objects = [], reference, claims = [], configMaps = [], masters, pods = [], ports = [] }: Needs,
  sources: FactSources,
) => [
  ...objects.map(({ kind, name }) =>
    question('objects', `${kind}/${name}`, async () => (await sources.object(kind, name)) ?? absent(kind, name)),
  ),
  ...(reference ? [question('reference', `${reference.namespace}/${reference.name}`, () => sources.reference(reference))] : []),
  ...claims.map((name) => question('claims', name, () => sources.claim(name))),
  ...configMaps.map((name) => question('configMaps', name, () => sources.keys(name))),
  ...(masters ? [question('masters', '', () => sources.masters)] : []),
  ...pods.map((role) => question('pods', role, () => sources.pods(role))),
  ...ports.map((need) => question('ports', need.name, () => sources.port(need))),
];

const absent = (kind: string, name: string): Hold => ({ reason: `${kind}NotFound`, message: `${kind} ${name} does not exist` });

const isHold = (answer: unknown): answer is Hold => typeof answer === 'object' && answer !== null && 'reason' in answer;

const withAnswer = (facts: Facts, field: Field, name: string, answer: unknown): Facts =>
  field === 'reference' || field === 'masters'
    ? { ...facts, ...(answer !== undefined && { [field]: answer }) }
    : { ...facts, [field]: { ...facts[field], [name]: answer } };

/** Asks the runtime for its needs, answers them, and asks again with the answers until it has no new need: a profile may name Secrets. */
export async function gatherFacts(
  definition: Runtime,
  input: Omit<RuntimeInput<unknown>, 'facts'>,
  sources: FactSources,
): Promise<Gathered | Hold> {
  const { fuse, engine } = sources;
  const none = compact({});
  const nothing = { ports: none, secrets: none, claims: none, objects: none, configMaps: none, pods: none };
  let facts: Facts = { ...nothing, ...(fuse && { fuse }), ...(engine !== undefined && { engine }) };
  const missing = new Map<string, { readonly lack: MissingSecret; readonly retryMs: number }>();
  const asked = new Set<string>();
  const isNew = (id: string) => !asked.has(id) && asked.add(id) !== undefined;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = asked.size;
    const needs = definition.needs({ ...input, facts });
    for (const { field, name, ask } of questions(needs, sources)) {
      if (!isNew(`${field}/${name}`)) continue;
      const answer = await ask();
      if (isHold(answer)) return answer;
      facts = withAnswer(facts, field, name, answer);
    }
    for (const need of needs.secrets ?? []) {
      const called = calledOf(need);
      if (!isNew(`secret/${called}/${need.inline ?? false}/${need.keys?.join() ?? ''}`)) continue;
      const state = await sources.secret(need);
      if (state === 'assumed') continue;
      if ('missing' in state)
        missing.set(called, { lack: { name: called, ...(state.keys && { keys: state.keys }) }, retryMs: state.retryMs });
      else if (need.inline) facts = { ...facts, secrets: { ...facts.secrets, [called]: state.data } };
    }
    // Without its contents no plan is possible.
    const [unread] = (needs.secrets ?? []).flatMap((need) => (need.inline && missing.get(calledOf(need))) || []);
    if (unread)
      return {
        reason: 'SecretNotFound',
        message: `waiting for ${missingText(unread.lack, input.namespace, { Dataset: input.dataset.spec, [definition.resource.kind]: input.spec })}`,
        afterMs: unread.retryMs,
      };
    if (asked.size === before) break;
  }
  const lacks = [...missing.values()];
  return {
    facts,
    missingSecrets: lacks.map(({ lack }) => lack),
    ...(lacks.length > 0 && { secretRetryMs: Math.min(...lacks.map(({ retryMs }) => retryMs)) }),
  };
}

const calledOf = ({ name, namespace }: SecretNeed): string => (namespace === undefined ? name : `${namespace}/${name}`);
