import type { KubeObject } from '../../kube/types.ts';
import { Refusal, type Target } from './refusals.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'apply' | 'delete';
export const WRITES: readonly Verb[] = ['create', 'update', 'patch', 'apply', 'delete'];

/** One request of a client. */
export interface ApiRequest extends Target {
  readonly verb: Verb;
  readonly kind: string;
  /** The client's name, as the owner of fields. */
  readonly manager: string;
  /** The object, or the patch. */
  readonly body?: unknown;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Which requests a rule is about; what is left out matches any. */
export interface Match {
  readonly verb?: Verb | readonly Verb[] | undefined;
  readonly kind?: string | readonly string[] | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** `''`: only the object itself. */
  readonly subresource?: string | undefined;
  readonly manager?: string | undefined;
  readonly when?: ((request: ApiRequest) => boolean) | undefined;
  /** How often it applies. Default: until it is taken away. */
  readonly times?: number | undefined;
}

/** What is done to a request that matches. */
export interface Interference {
  /** Before the server acts: what it throws is the answer, and nothing happened. */
  readonly before?: (request: ApiRequest) => void | Promise<void>;
  /** An admission webhook: what the server stores in place of the object. */
  readonly mutate?: (object: KubeObject, request: ApiRequest) => KubeObject;
  /** Once the server has acted: what it throws is the answer in place of its own. */
  readonly after?: (request: ApiRequest) => void | Promise<void>;
}

export interface Rule {
  /** No longer. */
  remove(): void;
  /** How many requests it has met. */
  readonly met: number;
}
export interface HeldRequests extends Rule {
  /** How many wait. */
  readonly waiting: number;
  /** Lets go all that wait, and removes the rule. */
  release(): void;
}
export interface Refused {
  readonly status: number;
  readonly reason?: string;
  readonly message?: string;
}

/** What a test does to the requests of clients; the newest rule is asked first, and each that matches has its say. */
export interface Rules {
  add(match: Match, interference: Interference): Rule;
  /** `refuse({ kind: 'Secret' }, { status: 403, reason: 'Forbidden' })` */
  refuse(match: Match, answer?: Refused): Rule;
  /** A mutating admission webhook. */
  mutate(match: Match, change: (object: KubeObject, request: ApiRequest) => KubeObject): Rule;
  /** The server takes so long before it acts. */
  delay(match: Match, ms: number): Rule;
  /** Requests that match wait before the server acts. */
  hold(match: Match): HeldRequests;
  /** The same, once the server has acted: the answer is under way. */
  holdAnswers(match: Match): HeldRequests;
}

interface Standing extends Interference {
  readonly match: Match;
  met: number;
}

export interface RuleBook extends Rules {
  /** The rules that apply to a request; each is counted as met. */
  meeting(request: ApiRequest): readonly Interference[];
}

export function createRules(): RuleBook {
  const rules = new Set<Standing>();

  const add: Rules['add'] = (match, interference) => {
    const rule: Standing = { ...interference, match, met: 0 };
    rules.add(rule);
    return {
      remove: () => void rules.delete(rule),
      get met() {
        return rule.met;
      },
    };
  };
  function holding(match: Match, when: 'before' | 'after'): HeldRequests {
    const waiting = new Set<() => void>();
    const rule = add(match, { [when]: () => new Promise<void>((resolve) => waiting.add(resolve)) });
    return {
      remove: rule.remove,
      get met() {
        return rule.met;
      },
      get waiting() {
        return waiting.size;
      },
      release() {
        rule.remove();
        for (const go of waiting) go();
        waiting.clear();
      },
    };
  }

  return {
    add,
    refuse: (match, { status, reason, message = 'refused' } = { status: 500, reason: 'InternalError' }) =>
      add(match, {
        before: () => {
          throw new Refusal(status, reason, message);
        },
      }),
    mutate: (match, change) => add(match, { mutate: change }),
    delay: (match, ms) => add(match, { before: () => new Promise((resolve) => setTimeout(resolve, ms)) }),
    hold: (match) => holding(match, 'before'),
    holdAnswers: (match) => holding(match, 'after'),
    meeting(request) {
      const met = [...rules].filter(({ match }) => matches(match, request)).toReversed();
      for (const rule of met) if (++rule.met >= (rule.match.times ?? Infinity)) rules.delete(rule);
      return met;
    },
  };
}

export function matches(match: Match, request: ApiRequest): boolean {
  return (
    isAmong(match.verb, request.verb) &&
    isAmong(match.kind, request.kind) &&
    (match.namespace === undefined || match.namespace === request.namespace) &&
    (match.name === undefined || match.name === request.name) &&
    (match.subresource === undefined || match.subresource === (request.subresource ?? '')) &&
    (match.manager === undefined || match.manager === request.manager) &&
    (match.when?.(request) ?? true)
  );
}
const isAmong = (wanted: string | readonly string[] | undefined, found: string): boolean =>
  wanted === undefined || (typeof wanted === 'string' ? wanted === found : wanted.includes(found));
